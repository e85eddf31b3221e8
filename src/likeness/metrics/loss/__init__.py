"""The losses that searches minimise: what generalizing one cell costs, as look-ups per attribute."""

from likeness.metrics.loss.cell import LOSSES, CellLoss, geometry, region_losses

__all__ = ["LOSSES", "CellLoss", "geometry", "region_losses"]
