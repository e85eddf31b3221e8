"""Names and types of the columns of an Arrow stream, before any of its rows is read.

The C data interface of Arrow is two structures of pointers (https://arrow.apache.org/docs/format/CDataInterface.html and
CStreamInterface.html); what polars does not take it ends with a panic, which says neither which column is meant nor why.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_int,
    c_int64,
    c_void_p,
    cast,
    py_object,
    pythonapi,
)
from typing import Any, ClassVar, NamedTuple

_pointer_of = pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = c_void_p, [py_object, c_char_p]


class _Schema(Structure):
    """``struct ArrowSchema``."""


_Release = CFUNCTYPE(None, POINTER(_Schema))
_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", c_void_p),
    ("release", _Release),
    ("private_data", c_void_p),
]


class _Stream(Structure):
    """``struct ArrowArrayStream``."""

    _fields_: ClassVar = [
        ("get_schema", CFUNCTYPE(c_int, c_void_p, POINTER(_Schema))),
        ("get_next", c_void_p),
        ("get_last_error", CFUNCTYPE(c_char_p, c_void_p)),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


class StreamColumns(NamedTuple):
    """What a stream says of itself: the format of all of it, and names and formats of its columns."""

    format: str
    names: list[str]
    formats: list[str]


TABLE = "+s"
"""The format of what has columns."""


def columns_of(capsule: Any) -> StreamColumns:
    """Ask a stream for its columns; its rows stay unread. `ValueError` with its own words where it refuses.

    ``capsule``: what ``__arrow_c_stream__`` gave.

    >>> import polars as pl
    >>> columns_of(pl.DataFrame({"age": [40], "zip": ["02139"]}).__arrow_c_stream__())
    StreamColumns(format='+s', names=['age', 'zip'], formats=['l', 'vu'])
    """
    pointer = _pointer_of(capsule, b"arrow_array_stream")
    stream, schema = cast(pointer, POINTER(_Stream)).contents, _Schema()
    if stream.get_schema(pointer, byref(schema)) != 0:
        said = stream.get_last_error(pointer)
        raise ValueError("no reason was given" if said is None else said.decode(errors="replace"))
    try:
        children = [schema.children[i].contents for i in range(schema.n_children)]
        return StreamColumns(
            schema.format.decode(),
            [(child.name or b"").decode(errors="replace") for child in children],
            [child.format.decode() for child in children],
        )
    finally:
        schema.release(byref(schema))
