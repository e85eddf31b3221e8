import pytest

from likeness.profiling import meaning as words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("patientID", ("patient", "id")),
        ("marital-status", ("marital", "status")),
        ("ICD10Code", ("icd", "code")),
        ("date_of_birth", ("date", "of", "birth")),
        ("straße", ("straße",)),
        ("123", ()),
    ],
)
def test_names_are_split_at_what_is_no_letter_and_at_capitals(name, expected):
    assert words.parts(name) == expected


@pytest.mark.parametrize("name", ["name", "Name", "last_name", "patientName", "surname", "FULLNAME"])
def test_names_of_people(name):
    assert words.names_a_person(name)


@pytest.mark.parametrize("name", ["drug_name", "filename", "names_of_rivers", "rename", "hospital name"])
def test_names_of_other_things(name):
    assert not words.names_a_person(name)


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("patient_id", "person"),
        ("PatientNo", "person"),
        ("DUPERSID", "person"),
        ("ptid", "person"),
        ("visit_id", "record"),
        ("rowid", "record"),
        ("id", "something"),
        ("UUID", "something"),
        ("DUID", "perhaps"),
        ("covid", "perhaps"),
        ("subject", "perhaps"),
        ("Nr", "perhaps"),
        ("people", None),
        ("patients", None),
        ("age", None),
        ("education-num", None),
        ("transcript", None),
    ],
)
def test_whose_number_a_name_says_it_is(name, whose):
    assert words.numbers_what(name) == whose


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("diagnosis", "health"),
        ("Diseases", "health"),
        ("ICD9CODX", "health"),
        ("occupationcode", "work"),
        ("salary-class", "money"),
        ("payment", None),
        ("score_sheet", "a result"),
        ("age", None),
    ],
)
def test_words_of_sensitive_attributes(name, group):
    assert words.find(name, words.SENSITIVE) == group


def test_short_words_match_whole_parts_only():
    assert words.find("agency", words.QUASI) is None
    assert words.find("average", words.QUASI) is None
    assert words.find("maritalstatus", words.QUASI) == "marital status"


def test_a_body_weight_is_no_survey_weight():
    assert [words.weighs(name) for name in ("weight", "body_weight", "sampling_weight", "fnlwgt")] == [
        False,
        False,
        True,
        True,
    ]


def test_no_word_is_in_two_groups_of_a_list():
    for listed in (words.SENSITIVE, words.QUASI, words.CONTACTS):
        assert all(word == word.lower() and word.isalpha() for word in listed)
    assert not set(words.SENSITIVE) & set(words.QUASI)
