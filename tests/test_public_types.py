"""What editors and type checkers see of `likeness`: every part and function by its real type."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import likeness as lk
from likeness import registry

INIT = Path(lk.__file__)

PROLOGUE = """\
from fractions import Fraction
from pathlib import Path
import pandas as pd
import polars as pl
import likeness as lk

table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
columns = {"age": lk.quasi(kind="integer"), "disease": lk.sensitive(), "name": lk.identifier(), "x": lk.drop()}
privacy = lk.KAnonymity(2) & lk.BetaLikeness("1/3") & lk.TCloseness(Fraction(1, 5), sensitive="disease")
method = lk.Mondrian(cut="median", strict=False)
policy = lk.Policy(columns=columns, privacy=privacy, method=method, form=lk.GeneralizedForm(recoding="tight"))
lk.Policy(columns=columns, privacy=[lk.KAnonymity(2) & lk.TCloseness(0.2)], method="burel", form={"name": "generalized"})
release = lk.anonymize(table, policy, seed=1)
lk.anonymize(pd.DataFrame(), Path("policy.yaml"))
"""

REVEALED = {
    "lk.KAnonymity(2) & lk.BetaLikeness(4)": "likeness.models.base.Composition",
    "lk.KAnonymity(2) & privacy": "likeness.models.base.Composition",
    "privacy & privacy": "likeness.models.base.Composition",
    "lk.BetaLikeness(4)": "likeness.models.beta_likeness.BetaLikeness",
    "lk.Mondrian()": "likeness.methods.mondrian.Mondrian",
    "lk.Ncp()": "likeness.metrics.ncp.Ncp",
    "lk.LinkageAttack()": "likeness.attacks.linkage.LinkageAttack",
    "lk.AnatomizedForm()": "likeness.forms.anatomized.AnatomizedForm",
    "lk.Hospital()": "likeness.datasets.hospital.Hospital",
    "lk.quasi()": "likeness.policy.column.Column",
    "lk.sensitive()": "likeness.policy.column.Column",
    "lk.read('patients.csv')": "likeness.tables.table.Table",
    "release": "likeness.release.Release",
    "release.table": "Any",  # a frame of the library that the original came in, which no type can say
    "release.warnings": "tuple[likeness.report.finding.Finding, ...]",
    "release.verify()": "likeness.proving.proof.Verdict",
    "release.loss('ncp', lk.CAvg(k=5))": "likeness.metrics.measuring.Measurements",
    "release.attack(lk.LinkageAttack())": "likeness.attacks.base.AttackResult",
    "release.estimate(lk.Query({'age': (30, 34)}))": "float",
    "release.risk(sampling_fraction=0.1)": "likeness.risk.summary.Risk",
    "release.dossier('ema')": "likeness.dossier.base.Dossier",
    "lk.hold_out('patients.csv', policy).release": "likeness.release.Release",
    "release.write('out')": "pathlib.Path",
    "release.to_database('sqlite:///x.db', 'x')": "tuple[str, ...]",
    "lk.verify('out')": "likeness.proving.proof.Verdict",
    "lk.open_release('out')": "likeness.release.Release",
    "lk.open_release('out', original=table, policy=policy).attack_all()": "likeness.attacks.base.AttackResults",
    "release.report()": "str",
    "lk.profile(table).policy()": "likeness.policy.policy.Policy",
    "lk.strongest(table, policy, 'beta', loss={'ncp': 0.5}).release": "likeness.release.Release",
    "lk.compare(table, policy).recommend()": "likeness.comparing.recommending.Recommendation",
}

REFUSED = {
    "lk.KAnonymity(kk=5)": 'Unexpected keyword argument "kk" for "KAnonymity"',
    "lk.KAnonymity('5')": 'Argument 1 to "KAnonymity" has incompatible type "str"; expected "int"',
    "lk.KAnonimity(5)": 'Module has no attribute "KAnonimity"',
    "lk.KAnonymity(5) & 3": 'Unsupported operand types for & ("KAnonymity" and "int")',
    "3 & lk.KAnonymity(5)": 'Unsupported operand types for & ("int" and "KAnonymity")',
    "privacy & lk.Mondrian()": 'Unsupported operand types for & ("Composition" and "Mondrian")',
    "lk.Mondrian(strict='no')": 'Argument "strict" to "Mondrian" has incompatible type "str"; expected "bool"',
    "lk.quasi(kindd='integer')": 'Unexpected keyword argument "kindd" for "quasi"',
    "lk.quasi(kind='integr')": 'Argument "kind" to "quasi" has incompatible type',
    "lk.Policy(columns=columns, privacy=3)": 'Argument "privacy" to "Policy" has incompatible type "int"',
    "lk.Policy(columns=columns, privacy=privacy, metod='burel')": 'Unexpected keyword argument "metod" for "Policy"',
    "lk.Policy(columns=columns, privacy=privacy, method=lk.KAnonymity(3))": 'Argument "method" to "Policy" has incompatible',
    "lk.anonymize(table, policy, sed=1)": 'Unexpected keyword argument "sed" for "anonymize"',
    "release.tabel": '"Release" has no attribute "tabel"',
    "release.attack(lk.KAnonymity(5))": 'Argument 1 to "attack" of "Release" has incompatible type "KAnonymity"',
}


def imported() -> dict[str, tuple[str, str | None]]:
    """Public name to its module and the name it is exported under, as type checkers see them."""
    (block,) = (
        node
        for node in ast.parse(INIT.read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    assert all(isinstance(node, ast.ImportFrom) for node in block.body)
    return {alias.name: (node.module, alias.asname) for node in block.body for alias in node.names}


def own_parts() -> dict[str, str]:
    """Class name of every part of this distribution to its module."""
    parts = [registry.load(kind, name) for kind in registry.KINDS for name in registry.names(kind)]
    return {part.__name__: part.__module__ for part in parts if part.__module__.startswith("likeness.")}


def test_type_checkers_see_every_part_and_nothing_else():
    parts = own_parts()
    listed = {
        f"    from {module} import {name} as {exported}"
        for name, (module, exported) in imported().items()
        if exported is not None
    }
    wanted = {f"    from {module} import {name} as {name}" for name, module in parts.items()}
    told = [f"add below `if TYPE_CHECKING:` the line\n{line}" for line in sorted(wanted - listed)]
    told += [f"delete, as there is no such part, the line\n{line}" for line in sorted(listed - wanted)]
    assert not told, "\n".join([f"{INIT.name} of likeness:", *told])


def test_type_checkers_see_every_function_where_it_is_found():
    others = {name: module for name, (module, exported) in imported().items() if exported is None}
    assert {*others, "__version__"} == set(lk.__all__)
    for name, module in others.items():
        assert getattr(lk, name) is getattr(sys.modules[module], name)
    assert set(dir(lk)) >= {*lk.__all__, *own_parts()}


@pytest.mark.slow
def test_a_script_of_a_user_is_checked(tmp_path, request):
    lines = [f"reveal_type({code})" for code in REVEALED] + [*REFUSED]
    (tmp_path / "script.py").write_text(PROLOGUE + "\n".join(lines) + "\n")
    # Beside no configuration of ours: what a user has who says `mypy --strict` and nothing else.
    # What mypy found in polars and others is kept from run to run.
    cache = request.config.cache.mkdir("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "--config-file", "", "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    said: dict[int, str] = {}
    for line in done.stdout.splitlines():
        match = re.fullmatch(r"script\.py:(\d+): (?:error|note): (.*)", line)
        if match:
            said.setdefault(int(match[1]), match[2])
    first = PROLOGUE.count("\n") + 1
    found = {code: said.pop(first + place, "") for place, code in enumerate([*REVEALED, *REFUSED])}
    assert said == {}, "of these lines nothing was to be said"
    assert {code: found[code] for code in REVEALED} == {
        code: f'Revealed type is "{seen}"' for code, seen in REVEALED.items()
    }
    assert {code: found[code][: len(start)] for code, start in REFUSED.items()} == REFUSED
    assert done.stdout.splitlines()[-1].startswith(f"Found {len(REFUSED)} errors in 1 file")
