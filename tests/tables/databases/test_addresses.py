from pathlib import Path

import polars as pl
import pytest

import likeness as lk
from likeness.errors import InvalidError
from likeness.tables.databases.addresses import address_of, is_url, shown_url

SECRET = "hunter2"


@pytest.mark.parametrize(
    "text", ["sqlite:///clinic.db", "postgresql://h/d", "POSTGRES://h", "mysql://h/d", "s3://a/b"]
)
def test_urls(text):
    assert is_url(text)


@pytest.mark.parametrize(
    "text", ["clinic.db", "/data/clinic.db", "C:/clinic.csv", "C://x.csv", "a:b", "-", ""]
)
def test_paths_are_no_urls(text):
    assert not is_url(text)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///clinic.db", "clinic.db"),
        ("sqlite:////data/clinic.db", "/data/clinic.db"),
        ("sqlite:///a%20b%3F.db", "a b?.db"),
    ],
)
def test_three_slashes_are_relative_and_four_absolute(url, path):
    address = address_of(url)
    assert (address.kind, str(address.path), address.label) == ("sqlite", path, url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgresql://ada:{SECRET}@db.example:5433/clinic", "postgresql://ada@db.example:5433/clinic"),
        (f"postgres://ada:{SECRET}@a:1,b:2/clinic", "postgresql://ada@a:1,b:2/clinic"),
        (f"postgresql://ada:{SECRET}@[::1]:5433/clinic", "postgresql://ada@[::1]:5433/clinic"),
        (f"postgresql:///clinic?host=/run&password={SECRET}", "postgresql:///clinic?host=/run"),
        (f"postgresql://h/d?sslpassword={SECRET}&sslkey={SECRET}&user=ada", "postgresql://h/d?user=ada"),
        ("postgresql://", "postgresql://"),
    ],
)
def test_passwords_are_not_shown(url, shown):
    address = address_of(url)
    assert shown_url(url) == address.label == shown
    assert address.uri == url
    assert SECRET not in address.label
    assert (SECRET in address.secrets) == (SECRET in url)


def test_both_spellings_of_a_password_are_secret():
    assert set(address_of("postgresql://ada:se%2Fcret@h/d").secrets) == {"se%2Fcret", "se/cret"}
    # A word that a driver may say is none.
    assert address_of("postgresql://h/d?sslmode=require&passfile=p").secrets == ("p",)


@pytest.mark.parametrize(
    "url",
    [
        # What has a special character that is not coded would be read otherwise by the driver, which then says parts of it.
        f"postgresql://ada:{SECRET}/x@h/d",
        f"postgresql://ada:{SECRET}@x@h/d",
        f"postgresql://ada:{SECRET}?x@h/d",
        f"postgresql://ada:{SECRET}#x@h/d",
        f"postgresql://ada:12/{SECRET}@h/d",
        f"postgresql://ada:12?{SECRET}@h/d",
        f"postgresql://h/d?{SECRET}",
        f"postgresql://h:{SECRET}/d",
        f"postgresql://ada:{SECRET} @h/d",
        f"sqlite:///x.db?key={SECRET}",
        f"sqlite://{SECRET}",
        "sqlite:///",
        f"mysql://ada:{SECRET}@h/d",
        f"https://ada:{SECRET}@h/d.csv",
    ],
)
def test_other_urls_are_refused_and_nothing_of_them_is_said(url):
    with pytest.raises(InvalidError) as caught:
        address_of(url)
    assert len(caught.value.lines) == 1
    assert SECRET not in str(caught.value)


def test_where_files_are_wanted_a_url_is_refused_and_not_shown(tmp_path):
    table = pl.DataFrame({"id": [1, 2], "age": [30, 31]})
    policy = {
        "columns": {"id": {"role": "identifier"}, "age": {"role": "quasi"}, "*": {"role": "drop"}},
        "individual": "id",
        "records": {"table": f"postgresql://ada:{SECRET}@h/d", "on": "id"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
    }
    for ask in (
        lambda: lk.anonymize(table, policy),
        lambda: lk.read(Path(f"postgresql://ada:{SECRET}@h/d")),
    ):
        with pytest.raises(
            lk.TableError, match="can be given, as a text, for the table itself only"
        ) as caught:
            ask()
        assert SECRET not in str(caught.value)
