"""Wang, Du, Luo & Li 2019: figures 2 to 9, the claimed ratios, and what explains where they differ."""
