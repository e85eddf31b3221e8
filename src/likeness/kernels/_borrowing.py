"""Arrays that kernels pass on without counting who holds them."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic

from likeness.kernels._by_reference import ByReference

__all__ = ["borrowed"]

_intrinsic: Any = intrinsic


@_intrinsic
def borrowed(_context: Any, value: Any) -> Any:
    """Give the same arrays, of a tuple, too, but nobody counts who holds them.

    Numba counts the holders of every array of a tuple wherever a kernel hands it to another. That is atomic, so threads that
    share a table wait for each other: of a local search it took three quarters of the time. Whoever calls the kernel holds the
    arrays anyway; what is borrowed must not be kept beyond that.
    """

    def give(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _uncounted(context, builder, signature.args[0], arguments[0])

    return value(value), give


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Build an array without its counter, and a tuple of such arrays."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()  # noqa: SLF001
    if isinstance(kind, types.BaseTuple):
        of: Any = kind
        for i, own in enumerate(of):
            element = _uncounted(context, builder, own, builder.extract_value(value, i))
            value = builder.insert_value(value, element, i)
    if isinstance(kind, ByReference):
        held = _uncounted(context, builder, kind.of, builder.load(value))
        return cgutils.alloca_once_value(builder, held)
    return value
