import json

import polars as pl
import pytest

from likeness import profile, read


def asked(tmp_path, text, **reading):
    (tmp_path / "t.csv").write_text(text)
    found = profile(read(tmp_path / "t.csv", **reading))
    return found, [one for one in found.findings if one.code == "header-may-be-lacking"]


@pytest.mark.parametrize(
    "text",
    [
        "34,f,2020-01-31\n40,m,2020-02-28\n29,f,2021-03-30\n",
        "f,Ulm\nm,Bern\nf,Ulm\nf,Ulm\n",
        "34,7.5\n40,3.25\n29,2.5\n",
    ],
)
def test_names_that_look_like_cells_are_asked_about(tmp_path, text):
    found, (own,) = asked(tmp_path, text)
    assert own.facts["names"] == text.partition("\n")[0].split(",")[: len(own.facts["names"])]
    assert "if they are cells, read it with header=False (--no-header)" in str(found)
    assert str(own) in json.loads(found.to_json())["warnings"]
    assert not asked(tmp_path, text, header=False)[1]


@pytest.mark.parametrize(
    "text",
    [
        "age,sex\n40,m\n29,f\n29,f\n",
        "country,2019,2020,2021\nChile,1,2,3\nPeru,4,5,6\n",
        "id,1,2\na,1,2\nb,4,5\n",
        "age,f\n34,f\n30,m\n",
    ],
)
def test_names_of_columns_are_names(tmp_path, text):
    assert not asked(tmp_path, text)[1]


def test_one_name_is_one(tmp_path):
    _, (own,) = asked(tmp_path, "x\nx\ny\nx\nx\n")
    assert "'x' looks like a cell of its column, and is taken for a name; if it is a cell, read it" in str(
        own
    )


def test_frames_have_names():
    assert not [
        one for one in profile(pl.DataFrame({"34": [40, 29]})).findings if one.code.startswith("header")
    ]
