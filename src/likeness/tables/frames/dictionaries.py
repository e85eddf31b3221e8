"""Columns of Arrow that are coded by dictionaries, in pyarrow tables and pandas frames. Imported only when one is seen."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from pyarrow import types


def compact(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Leave out of a dictionary what no row has; its order, and the type of the column, stay."""
    kind = column.type
    if not types.is_dictionary(kind):
        return column
    whole = column.unify_dictionaries().combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    occurs = np.zeros(len(whole.dictionary) + 1, np.bool_)
    numbers = whole.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    occurs[numbers] = True
    fresh = np.append(np.cumsum(occurs[:-1]) - 1, -1)[numbers]
    indices = pa.array(fresh, mask=numbers < 0).cast(kind.index_type)
    kept = whole.dictionary.take(pa.array(np.flatnonzero(occurs[:-1])))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, kept, ordered=kind.ordered)])
