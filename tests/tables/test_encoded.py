import numpy as np

from likeness.tables import EncodedColumn


def test_counts_leave_missing_records_out():
    column = EncodedColumn("a", "integer", np.array([1, -1, 0, 1, -1], dtype=np.int32), np.array([7, 9]))
    assert column.counts().tolist() == [1, 2]
    assert column.missing == 2


def test_a_column_without_values_has_no_counts():
    column = EncodedColumn("a", "text", np.array([-1, -1], dtype=np.int32), np.array([], dtype=object))
    assert column.counts().tolist() == []
    assert column.counts().dtype == np.int64
