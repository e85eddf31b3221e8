"""Which functions only work in arrays that they are given: they need not count who refers to an array.

numba counts references wherever a function so much as looks at an array, and most of the code of a search that hands tuples of
arrays from function to function is that. A function that makes no array, and is not given one by what it calls, changes no count.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types
from numba.core import ir
from numba.core.compiler_machinery import AnalysisPass, register_pass

_PLAIN = {
    abs,
    bool,
    enumerate,
    float,
    int,
    len,
    max,
    min,
    range,
    slice,
    zip,
    *filter(callable, vars(math).values()),
}
_PLAIN_OPERATIONS = {
    "binop", "inplace_binop", "unary", "cast", "pair_first", "pair_second", "getiter", "iternext", "exhaust_iter", "build_tuple",
    "getattr", "getitem", "static_getitem", "typed_getitem", "null", "undef", "phi",
}  # fmt: skip


@register_pass(mutates_CFG=False, analysis_only=True)
class Borrowing(AnalysisPass):
    """Leaves references uncounted where a function only borrows arrays."""

    _name = "likeness_borrowing"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at a typed function."""
        if _borrows(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


def _borrows(state: Any) -> bool:
    """Whether no array comes to be in a function, or is returned by it."""
    if _counted(state.return_type):
        return False
    return all(_keeps(state, one) for block in state.func_ir.blocks.values() for one in block.body)


def _keeps(state: Any, statement: ir.Stmt) -> bool:
    """Whether a statement makes no array: arrays written into slices of others make texts of their shapes."""
    if isinstance(statement, ir.SetItem | ir.StaticSetItem):
        return not _counted(state.typemap[statement.value.name])
    if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Expr):
        return _evaluates(state, statement.value)
    return not isinstance(statement, ir.DynamicRaise)


def _evaluates(state: Any, expression: ir.Expr) -> bool:
    """Whether an expression makes no array, nor is given one."""
    kinds = state.typemap
    if expression.op == "call":
        called = kinds[expression.func.name]
        if isinstance(called, types.NamedTupleClass):
            return True
        return _plain(called) and not _counted(state.calltypes[expression].return_type)
    if expression.op not in _PLAIN_OPERATIONS:
        return False
    if expression.op in {"getitem", "typed_getitem"}:
        # Places and slices are views; lists of places would copy.
        return not _counted(kinds[expression.index.name])
    if expression.op == "getattr" and isinstance(kinds[expression.value.name], types.Array):
        return expression.attr in {"shape", "size", "ndim"}
    return expression.op not in {"binop", "inplace_binop", "unary"} or not _counted(
        state.calltypes[expression].return_type
    )


def _plain(kind: types.Type) -> bool:
    """Whether what is called is another kernel, a pointer to one, or does arithmetic."""
    if isinstance(kind, types.Dispatcher | types.FunctionType | types.NumberClass):
        return True
    if not isinstance(kind, types.Function):
        return False
    return kind.typing_key in _PLAIN


def _counted(kind: types.Type) -> bool:
    """Whether a type is one of references that are counted, or has some."""
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        return any(_counted(one) for one in parts)
    return not isinstance(
        kind,
        types.Number | types.Boolean | types.NoneType | types.SliceType | types.RangeType | types.Literal,
    )
