"""Tables like those that people have, from seeded generators; ``expected.yaml`` says what their columns are."""

from datetime import date, timedelta

import numpy as np
import polars as pl

BRACKETS = [f"[{low}-{low + 10})" for low in range(0, 100, 10)]
CODES = ["I10", "E11.9", "J45.0", "250.83", "428", "486", "V57", "E78.5", "414", "C50.9", "M54.5", "N39.0"]
LIKERT = ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"]


class _Draw:
    """Columns of so many records, of people that have ``each`` records."""

    def __init__(self, seed, people, each):
        self.rng = np.random.default_rng(seed)
        sizes = self.rng.poisson(each - 1, people) + 1 if each != 1 else np.ones(people, np.int64)
        self.person = np.repeat(np.arange(people), sizes)
        self.people, self.height = people, len(self.person)

    def key(self, start, step=7):
        """A number of each person."""
        return self.rng.permutation(np.arange(start, start + step * self.people, step))[self.person]

    def own(self, values):
        """A value of each person."""
        return self.rng.choice(np.array(values), self.people)[self.person]

    def any(self, values):
        """A value of each record."""
        return self.rng.choice(np.array(values), self.height)

    def days(self, first, span, *, each=True):
        """Days of each person, or of each record."""
        drawn = self.rng.integers(0, span, self.people if each else self.height)
        days = [first + timedelta(days=int(day)) for day in drawn]
        return [days[i] for i in self.person] if each else days


class _Uneven(_Draw):
    """Columns of the records of people who have from one to ``most`` of them, most people few."""

    def __init__(self, seed, people, most):
        super().__init__(seed, people, 1)
        sizes = np.geomspace(1, most, people).astype(np.int64)
        self.person = np.repeat(np.arange(people), self.rng.permutation(sizes))
        self.height = len(self.person)


def encounters():
    d = _Draw(1, 1500, 1.4)
    return {
        "encounter_id": d.rng.permutation(np.arange(d.height)) * 13 + 2_278_392,
        "patient_nbr": d.key(8_222_157),
        "race": d.own(["Caucasian", "AfricanAmerican", "Hispanic", "Asian", "Other", "?"]),
        "gender": d.own(["Female", "Male"]),
        "age": d.own(BRACKETS),
        "discharge_disposition_id": d.any([1, 2, 3, 6, 11, 18, 25]),
        "time_in_hospital": d.any(range(1, 15)),
        "diag_1": d.any(CODES),
        "readmitted": d.any(["NO", ">30", "<30"]),
    }


def discharges():
    d = _Draw(2, 1200, 1)
    return {
        "Age Group": d.any(["0 to 17", "18 to 29", "30 to 49", "50 to 69", "70 or Older"]),
        "Zip Code - 3 digits": d.any(["100", "104", "112", "148", "OOS"]),
        "Gender": d.any(["F", "M", "U"]),
        "Race": d.any(["White", "Black/African American", "Other Race", "Multi-racial"]),
        "Length of Stay": d.any(range(1, 40)),
        "CCS Diagnosis Description": d.any(["Septicemia", "Pneumonia", "Asthma", "Liveborn"]),
        "Discharge Quarter": d.any(["2013Q1", "2013Q2", "2013Q3", "2013Q4"]),
        "Total Charges": [
            f"{500 + int(c):,}.{int(c) % 100:02}" for c in d.rng.gamma(2, 9000, d.height).round(-2)
        ],
    }


def covid_mx():
    d = _Draw(3, 1500, 1)
    dead = d.rng.random(d.height) < 0.1
    days = d.days(date(2020, 3, 1), 300)
    return {
        "ID_REGISTRO": [f"z{i:06x}" for i in d.key(0x1000)],
        "SEXO": d.any([1, 2, 99]),
        "ENTIDAD_RES": d.any([f"{i:02}" for i in range(1, 33)]),
        "EDAD": d.any(range(95)),
        "FECHA_DEF": [str(day) if own else "9999-99-99" for day, own in zip(days, dead, strict=True)],
        "EMBARAZO": d.any([1, 2, 97, 98]),
        "DIABETES": d.any([1, 2, 98]),
    }


def klinik():
    d = _Draw(4, 60, 20)
    return {
        "Patientennummer": d.key(100_200),
        "Fallnummer": d.rng.permutation(d.height) + 9_000_000,
        "Geburtsdatum": [f"{day:%d.%m.%Y}" for day in d.days(date(1930, 1, 1), 25_000)],
        "Geschlecht": d.own(["männlich", "weiblich", "divers"]),
        "PLZ": d.own(["01067", "10115", "20095", "80331"]),
        "Familienstand": d.own(["ledig", "verheiratet", "geschieden", "verwitwet"]),
        "Diagnose": d.any(CODES),
    }


def hopital():
    d = _Draw(5, 300, 3)
    names = [f"{a} {b}" for a in ("Marie", "Jean", "Luc", "Anne") for b in ("Martin", "Petit", "Morel")]
    return {
        "numero_patient": d.key(5001),
        "nom": d.own(names),
        "sexe": d.own(["H", "F"]),
        "âge": d.own(range(18, 95)),
        "ville": d.own(["Lyon", "Paris", "Nantes", "Lille"]),
        "maladie": d.any(["grippe", "asthme", "diabète", "angine"]),
        "salaire": d.own(range(18_000, 60_000, 500)),
    }


def clinica_it():
    d = _Draw(6, 150, 8)
    return {
        "codice_paziente": [f"P{i:05}" for i in d.key(40)],
        "sesso": d.own(["M", "F"]),
        "età": d.own(range(18, 95)),
        "comune": d.own(["Roma", "Milano", "Torino", "Bari"]),
        "malattia": d.any(["asma", "influenza", "diabete", "gastrite"]),
    }


def clinica_pt():
    d = _Draw(7, 40, 60)
    return {
        "id_paciente": d.key(1),
        "sexo": d.own(["masculino", "feminino"]),
        "idade": d.own(range(18, 95)),
        "município": d.own(["Lisboa", "Porto", "Braga", "Faro"]),
        "doença": d.any(["asma", "gripe", "diabetes", "gastrite"]),
    }


def long():
    d = _Draw(8, 20, 200)
    return {
        "subject_id": d.key(101, 1),
        "sex": d.own(["f", "m"]),
        "age": d.own(["18-29", "30-44", "45-59", "60+"]),
        "pulse": d.any(range(48, 140)),
    }


def visits():
    d = _Draw(9, 250, 5)
    return {
        "visit_id": np.arange(d.height) + 1,
        "patient_id": d.key(70_001),
        "visit_date": d.days(date(2021, 1, 1), 500, each=False),
        "treatment": d.any(["statin", "insulin", "surgery", "physiotherapy"]),
    }


def survey():
    d = _Draw(10, 800, 1)
    return {
        "respondent": d.key(1001, 3),
        "age_group": d.any(["<18", "18-34", "35-64", "65+"]),
        "gender": d.any(["woman", "man", "nonbinary"]),
        "trust": d.any(LIKERT),
        "satisfaction": d.any(
            ["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"]
        ),
        "income_bracket": d.any(["<20000", "20000-39999", "40000-79999", "80000+"]),
    }


def payroll():
    d = _Draw(11, 90, 12)
    return {
        "emp_nbr": [f"{i:06}" for i in d.key(120)],
        "department": d.own(["sales", "finance", "plant"]),
        "grade": d.own(["007", "008", "009", "010", "011"]),
        "salary": [f"{i:,}" for i in d.own(range(900_000, 3_000_000, 25_000))],
        "hired": d.days(date(1995, 1, 1), 9000),
    }


def urgencias():
    d = _Uneven(12, 120, 200)
    names = [
        f"{a} {b}" for a in ("María", "Juan", "Lucía", "Ana", "José") for b in ("García", "López", "Ruiz")
    ]
    return {
        "num_historia": d.key(400_100),
        "id_episodio": d.rng.permutation(d.height) + 7_000_000,
        "nombre_paciente": d.own(names),
        "fecha_nacimiento": [f"{day:%d/%m/%Y}" for day in d.days(date(1930, 1, 1), 25_000)],
        "sexo": d.own(["hombre", "mujer"]),
        "codigo_postal": d.own(["28001", "08025", "46003", "41010"]),
        "estado_civil": d.own(["soltero", "casado", "viudo", "divorciado"]),
        "nivel_estudios": d.own(["primaria", "secundaria", "universitaria", "sin estudios"]),
        "nacionalidad": d.own(["española", "marroquí", "rumana"]),
        "fecha_ingreso": [f"{day:%d/%m/%Y}" for day in d.days(date(2022, 1, 1), 700, each=False)],
        "diagnostico_principal": d.any(["neumonía", "asma", "fractura de cadera", "apendicitis"]),
        "tratamiento": d.any(["antibiótico", "cirugía", "observación"]),
        "ingresos_mensuales": d.own(range(600, 6000, 50)),
        "satisfaccion": d.any(
            ["muy insatisfecho", "insatisfecho", "neutral", "satisfecho", "muy satisfecho"]
        ),
    }


def kasse():
    d = _Uneven(13, 150, 200)
    return {
        "Versichertennr": [f"A{i:09}" for i in d.key(100_000_000, 37)],
        "Belegnummer": d.rng.permutation(d.height) + 50_000_000,
        "Geburtsjahr": d.own(range(1930, 2005)),
        "Geschlecht": d.own(["m", "w", "d"]),
        "Postleitzahl": d.own(["01067", "10115", "20095", "80331", "50667"]),
        "Bundesland": d.own(["Bayern", "Hessen", "Sachsen", "Berlin"]),
        "Staatsangehörigkeit": d.own(["deutsch", "türkisch", "polnisch"]),
        "Schulabschluss": d.own(["Hauptschule", "Realschule", "Abitur", "ohne"]),
        "Behandlungsdatum": [f"{day:%d.%m.%Y}" for day in d.days(date(2021, 1, 1), 900, each=False)],
        "Hauptdiagnose": d.any(CODES),
        "Medikament": d.any(["Metformin", "Ramipril", "Ibuprofen", "Insulin"]),
        "Bruttoeinkommen": [f"{i},50" for i in d.own(range(1200, 7000, 100))],
        "Zufriedenheit": d.any(
            ["sehr unzufrieden", "unzufrieden", "teils teils", "zufrieden", "sehr zufrieden"]
        ),
    }


MADE = (
    encounters, discharges, covid_mx, klinik, hopital, clinica_it, clinica_pt, long, visits, survey, payroll,
    urgencias, kasse,
)  # fmt: skip


def made():
    """All generated tables, by name."""
    return {build.__name__: pl.DataFrame(build()) for build in MADE}
