"""Orders that are found, and orders that the type of a column says."""

import datetime as dt
import random

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.profiling.columns import cells

import likeness as lk
from likeness.profiling.orders import order_of

SIZES = ["small", "medium", "large"]


@pytest.mark.parametrize(
    "scale",
    [
        ["stimme nicht zu", "teils/teils", "stimme zu", "stimme voll und ganz zu"],
        ["trifft überhaupt nicht zu", "trifft eher nicht zu", "trifft eher zu", "trifft voll zu"],
        ["sehr unzufrieden", "unzufrieden", "weder noch", "zufrieden", "sehr zufrieden"],
        ["Nie", "Selten", "Manchmal", "Häufig", "Immer"],
        ["sehr schlecht", "schlecht", "mittelmäßig", "gut", "sehr gut"],
        ["Pas du tout d’accord", "Plutôt pas d’accord", "Plutôt d’accord", "Tout à fait d’accord"],
        ["très insatisfait", "insatisfait", "neutre", "satisfait", "très satisfait"],
        ["jamais", "rarement", "parfois", "souvent", "toujours"],
        ["totalmente en desacuerdo", "en desacuerdo", "indiferente", "de acuerdo", "totalmente de acuerdo"],
        ["muy malo", "malo", "regular", "bueno", "muy bueno"],
        ["nunca", "casi nunca", "a veces", "casi siempre", "siempre"],
        ["per niente d'accordo", "poco d'accordo", "abbastanza d'accordo", "molto d'accordo"],
        ["pessimo", "scarso", "sufficiente", "buono", "ottimo"],
        ["discordo totalmente", "discordo", "nem concordo nem discordo", "concordo", "concordo totalmente"],
        ["muito insatisfeito", "insatisfeito", "neutro", "satisfeito", "muito satisfeito"],
        ["nunca", "raramente", "às vezes", "quase sempre", "sempre"],
        ["strongly disagree", "disagree", "undecided", "agree", "strongly agree"],
    ],
)
def test_answers_on_a_scale_have_its_order(scale):
    shuffled = random.Random(1).sample(scale, len(scale))
    assert order_of(shuffled, codes=True) == scale


@pytest.mark.parametrize("texts", [["gut", "rot"], ["neutral", "weder noch", "zufrieden"], ["gut", "bueno"]])
def test_texts_of_no_one_scale_have_no_order(texts):
    assert order_of(texts, codes=True) is None


def frames(values, categories):
    codes = pa.array([categories.index(value) for value in values], pa.int32())
    return [
        pl.DataFrame({"size": pl.Series(values, dtype=pl.Enum(categories)), "disease": ["flu", "cold"] * 30}),
        pd.DataFrame(
            {"size": pd.Categorical(values, categories, ordered=True), "disease": ["flu", "cold"] * 30}
        ),
        pa.table(
            {
                "size": pa.DictionaryArray.from_arrays(codes, pa.array(categories), ordered=True),
                "disease": ["flu", "cold"] * 30,
            }
        ),
    ]


def test_the_order_that_a_type_says_is_proposed_with_values_that_nobody_has():
    categories = ["tiny", *SIZES]
    for frame in frames([SIZES[i % 3] for i in range(60)], categories):
        found = lk.profile(frame)
        assert found["size"].settings == {"role": "quasi", "kind": "ordered", "domain": categories}
        assert lk.anonymize(frame, found.policy(), seed=1).certificate.classes >= 1


def test_what_a_type_does_not_call_an_order_is_none():
    values = [SIZES[i % 3] for i in range(60)]
    plain = pd.DataFrame({"size": pd.Categorical(values, SIZES)})
    assert "kind" not in lk.profile(plain)["size"].settings
    sexes = pl.DataFrame({"x": pl.Series(["Male", "Female"] * 30, dtype=pl.Enum(["Male", "Female"]))})
    assert "kind" not in lk.profile(sexes)["x"].settings
    region = pl.DataFrame({"region": pl.Series(values, dtype=pl.Enum(SIZES))})
    assert "kind" not in lk.profile(region)["region"].settings
    surely = pd.DataFrame({"region": pd.Categorical(values, SIZES, ordered=True)})
    assert lk.profile(surely)["region"].settings["domain"] == SIZES


def test_markers_of_missing_values_are_no_categories():
    values = [["", "?", *SIZES][i % 5] for i in range(60)]
    frame = pl.DataFrame({"size": pl.Series(values, dtype=pl.Enum(["", "?", *SIZES]))})
    found = lk.profile(frame)
    assert found["size"].settings["domain"] == ["?", *SIZES]  # which is only asked about
    assert lk.anonymize(frame, found.policy(), seed=1).table.height == 60


def births(form, sentinel, times):
    days = [dt.date(1960, 1, 1) + dt.timedelta(days=37 * i) for i in range(400)]
    return [f"{day:{form}}" for day in [*days, *[sentinel] * times]]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"])
@pytest.mark.parametrize("sentinel", [dt.date(1900, 1, 1), dt.date(9999, 12, 31), dt.date(1970, 1, 1)])
def test_a_day_that_stands_out_by_its_number_is_declared_missing_as_it_is_written(form, sentinel):
    found = cells(births(form, sentinel, 30), "birth")
    (marker,) = found.markers
    assert (marker.text, marker.declared, found.missing) == (f"{sentinel:{form}}", True, marker.records)
    assert marker.records >= 30
    assert "times as often there as any other" in marker.why


def test_a_day_that_only_is_there_is_no_marker_or_a_question():
    asked = cells(births("%d.%m.%Y", dt.date(1900, 1, 1), 2), "birth")
    assert [(marker.text, marker.declared) for marker in asked.markers] == [("01.01.1900", False)]
    assert cells(births("%Y-%m-%d", dt.date(1970, 1, 1), 2), "birth").markers == ()
    yearly = [dt.date(1890 + i % 40, 1, 1) for i in range(4000)]
    assert cells(yearly, "birth").markers == ()


@pytest.mark.parametrize("kind", [pl.Date, pl.Datetime("us"), pl.String])
def test_a_table_of_such_days_is_anonymized_as_proposed(kind):
    days = births("%Y-%m-%d", dt.date(1900, 1, 1), 30)
    column = pl.Series(days) if kind == pl.String else pl.Series(days).str.to_date().cast(kind)
    frame = pl.DataFrame({"birth": column, "disease": [("flu", "cold", "hiv")[i % 3] for i in range(430)]})
    found = lk.profile(frame)
    assert found["birth"].missing == 30
    release = lk.anonymize(frame, found.policy(), seed=1)
    assert release.private.encoded.missing == {"birth": 30}
