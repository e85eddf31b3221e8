"""Named tuples that kernels hand each other by address.

Numba hands over each number that describes each array of a tuple, hundreds of them at every call, and makes the tuple of them
anew. More than half of what a first run compiled was that. Here the caller keeps the tuple where it is, and who is called loads
what it asks for. Tuples cannot be changed, and no kernel may give back one that it was handed.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_cast, lower_getattr_generic, register_model

_Type: Any = types.Type
_Model: Any = models.PrimitiveModel
_Template: Any = AttributeTemplate


class ByReference(_Type):  # type: ignore[misc]  # numba has no types
    """The address of a named tuple."""

    def __init__(self, of: Any) -> None:
        self.of = of
        super().__init__(f"ByReference({of})")

    @property
    def key(self) -> Any:
        """What tells it from others."""
        return self.of


def referenced(kind: Any) -> Any:
    """Give the type by which a value of a type is handed over; a number that is known has that of all others."""
    return ByReference(kind) if isinstance(kind, types.BaseNamedTuple) else types.unliteral(kind)


@register_model(ByReference)
class _AddressModel(_Model):  # type: ignore[misc]
    """A pointer to the tuple as its holder has it."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, dmm.lookup(fe_type.of).get_value_type().as_pointer())


@infer_getattr
class _Fields(_Template):  # type: ignore[misc]
    """What the fields are of."""

    key = ByReference

    def generic_resolve(self, typ: Any, attr: str) -> Any:
        """Give the type of a field; tuples within are referred to, too."""
        return referenced(typ.of[typ.of.fields.index(attr)]) if attr in typ.of.fields else None


@lower_getattr_generic(ByReference)
def _load(context: Any, builder: Any, typ: Any, value: Any, attr: str) -> Any:
    place = typ.of.fields.index(attr)
    address = cgutils.gep_inbounds(builder, value, 0, place)
    kind = typ.of[place]
    if referenced(kind) is not kind:
        return address
    return impl_ret_borrowed(context, builder, kind, builder.load(address))


@lower_cast(types.BaseNamedTuple, ByReference)
def _keep(_context: Any, builder: Any, _kind: Any, _to: Any, value: Any) -> Any:
    return cgutils.alloca_once_value(builder, value)
