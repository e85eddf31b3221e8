"""An earlier release: what it lets everybody believe of people whose quasi-identifiers are known."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.endings import FORMATS
from likeness.errors import LikenessError, TableError, suggestion
from likeness.forms.base import as_labelled
from likeness.knowledge.base import UNLIKE, KnowledgeSource, Subject, path_of, refuse_size
from likeness.microdata.grouping import group_codes
from likeness.microdata.individuals import find_individuals
from likeness.microdata.statistics import count_classes
from likeness.proving.certificate import Certificate
from likeness.queries.cells import match, reach
from likeness.tables import read_published
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.forms.base import Publication

_CERTIFICATE = "certificate.json"
_LARGEST = 1 << 27
"""Bytes of a certificate that is read."""


@dataclass(frozen=True)
class ReleaseKnowledge(KnowledgeSource):
    """What an earlier release, of any form, lets everybody believe of the people of the table.

    Of somebody with quasi-identifiers q every published record that q may be is as likely: the belief is the mean, over these
    records, of the shares of the values in their classes, or of what their randomized values stand for. It is what the
    release's ``posterior`` says of q. Quasi-identifiers that only one of the two tables has tell nothing, and values that
    nobody has any more are not believed of anybody. Whom nobody there could be is believed to have what everybody has there.

    Parameters
    ----------
    folder
        The folder of a release, or its ``public/`` alone: the path from the policy's folder. In policies
        ``release: ../2024/out`` will do. Nothing but its public files is read.

    Examples
    --------
    >>> ReleaseKnowledge("../2024/out")
    ReleaseKnowledge(folder='../2024/out')
    """

    folder: str

    name: ClassVar[str] = "release"
    main: ClassVar[str] = "folder"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "folder", path_of(self.name, "folder", self.folder))

    def __repr__(self) -> str:
        """Only the folder."""
        return f"ReleaseKnowledge(folder={self.folder!r})"

    @classmethod
    def told(cls, facts: Mapping[str, Any]) -> str:  # noqa: ARG003  # nothing of it is told
        """Say it in words."""
        return "what an earlier release lets everybody believe of people of their quasi-identifiers"

    def shares(self, subject: Subject) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Read the release, and ask it about everybody."""
        where = f"knowledge: {self.name}: {self.folder}"
        publication = read_publication((subject.policy.folder or Path()) / self.folder, where)
        refuse_size(self, int(publication.identities.max(initial=0)) + 1, subject.domain.codes)
        told = _beliefs(publication, subject, where)
        everybody = told.sum(axis=0)
        if not everybody.any():
            raise TableError(f"{where}: no value that {subject.domain.name!r} has there is one of the table")
        found, of = _believed(publication, told, subject, where)
        unlike = np.flatnonzero(~found.any(axis=1))
        found[unlike] = everybody
        subject.counted[UNLIKE] = int(np.isin(of, unlike).sum())
        return found, of


def read_publication(folder: Path, where: str) -> Publication:
    """Read what a release folder, or its ``public/``, publishes; `TableError`, from ``where``, in one line where it is none."""
    public = next((place for place in (folder / "public", folder) if (place / _CERTIFICATE).is_file()), None)
    if public is None:
        raise TableError(f"{where}: is no release; it holds neither public/{_CERTIFICATE} nor {_CERTIFICATE}")
    path = public / _CERTIFICATE
    try:
        if path.stat().st_size > _LARGEST:
            raise TableError(
                f"{path.name}: is of {path.stat().st_size:,} bytes; at most {_LARGEST:,} are read"
            )
        certificate = Certificate.from_json(path.read_text(encoding="utf-8"), path.name)
        form = certificate.make_form()
        tables = {}
        for name in form.tables:
            files = [form.file_of(name, ending) for ending in FORMATS]
            file = next((public / own for own in files if own in certificate.files), public / files[0])
            if not file.is_file() or file.name not in certificate.files:
                raise TableError(f"{file.name}: is missing")
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            facts = certificate.files[file.name]
            if digest != facts["sha256"]:
                raise TableError(f"{file.name}: is not what {_CERTIFICATE} says; it was changed")
            table = read_published(file, certificate.formulas, facts)
            tables[name] = {own: as_labelled(table.as_it_is(own)) for own in table.names}
        publication = form.read(tables, certificate.columns)
    except LikenessError as problem:
        raise TableError(problem.refusals[0].within(where)) from None
    except (OSError, UnicodeDecodeError, KeyError) as problem:
        raise TableError(f"{where}: cannot be read ({problem})") from None
    if publication.size == 0:
        raise TableError(f"{where}: holds no records")
    return publication


def _beliefs(publication: Publication, subject: Subject, where: str) -> NDArray[np.float64]:
    """(identities, m) What the records of each identity say together of each value of the table.

    Every record has each value with its share in its class; where values were randomized, with what they stand for. Where
    people have several records there, people stand for them.
    """
    domains = [domain.name for domain in publication.sensitive]
    name = subject.domain.name
    if name not in domains:
        raise TableError(f"{where}: {quoted(name)} is no sensitive column there{suggestion(name, domains)}")
    column = domains.index(name)
    domain, codes = publication.sensitive[column], publication.sensitive_codes[column]
    classes = int(publication.classes.max(initial=-1)) + 1
    stats = count_classes(publication.classes, classes, codes, domain.codes, publication.counted)
    shares = np.zeros((classes, domain.codes))
    shares[stats.class_of, stats.value] = stats.count / stats.sizes[stats.class_of]
    mechanism = publication.mechanism
    if mechanism is not None:
        joint = mechanism.matrix * mechanism.counts
        stands_for = joint / np.maximum(joint.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        # Summed value by value: a product of matrices depends on the number of cores.
        shares = sum(
            (shares[:, v, None] * stands_for[v] for v in range(domain.codes)), np.zeros(shares.shape)
        )
    to_own = domain.codes_in(subject.domain)
    there = np.flatnonzero(to_own >= 0)
    own = np.zeros((classes, subject.domain.codes))
    own[:, to_own[there]] = shares[:, there]
    identities = int(publication.identities.max(initial=-1)) + 1
    groups = group_codes([publication.identities, publication.classes], [identities, classes])
    sizes = groups.sizes
    if publication.counted is not None:
        sizes = find_individuals(groups.of, groups.count, publication.counted).sizes
    identity, class_ = (numbers[groups.first] for numbers in (publication.identities, publication.classes))
    order = np.lexsort((class_, identity))
    start = np.searchsorted(identity[order], np.arange(identities + 1)).astype(np.int64)
    return _sum_rows(start, class_[order], sizes[order].astype(np.float64), own)


def _believed(
    publication: Publication, told: NDArray[np.float64], subject: Subject, where: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(tuples, m) What is believed of each distinct tuple of quasi-identifiers, 0 where nobody there matches; (n,) whose."""
    data = subject.data
    index = {domain.name: j for j, domain in enumerate(data.quasi)}
    shared = [(own, index[own.note.name]) for own in publication.cells if own.note.name in index]
    if not shared and publication.cells and data.quasi:
        names = ", ".join(own.note.name for own in publication.cells)
        raise TableError(f"{where}: its quasi-identifiers are {names}; the table has none of them")
    if not shared:
        return told.sum(axis=0, keepdims=True), np.zeros(data.size, np.int64)
    columns = [j for _, j in shared]
    tuples = group_codes(data.codes[columns], [data.quasi[j].codes for j in columns])
    if not publication.covers:
        start, cells = publication.nearest(
            {
                data.quasi[j].name: (data.codes[j, tuples.first], data.quasi[j].labels_with(None), None)
                for j in columns
            }
        )
        return _sum_rows(start, cells, np.ones(cells.size), told), tuples.of
    holds = [reach(own.note, own.regions, data.quasi[j]) for own, j in shared]
    start, cells = match(
        holds, [own.of for own, _ in shared], np.ascontiguousarray(data.codes[columns][:, tuples.first])
    )
    return _sum_rows(start, cells, np.ones(cells.size), told), tuples.of


def _sum_rows(
    start: NDArray[np.int64],
    which: NDArray[np.int64],
    weights: NDArray[np.float64],
    rows: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Sum rows in a fixed order."""
    from likeness.knowledge.kernels import sum_rows

    return np.asarray(sum_rows(start, which.astype(np.int64), weights, rows))
