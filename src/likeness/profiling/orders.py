"""Find the order of texts that have one: ranges such as ``[60-70)``, quarters, answers on a scale, padded codes."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_NUMBER = r"(\d+(?:\.\d+)?)"
_RANGE = re.compile(rf"[\[(]?\s*{_NUMBER}\s*(?:-|–|,|to|bis|à|a)\s*{_NUMBER}\s*[\])]?", re.IGNORECASE)
_BELOW = re.compile(rf"(?:<=?|≤|under|below|unter|up to)\s*{_NUMBER}", re.IGNORECASE)
_ABOVE = re.compile(
    rf"(?:>=?|≥|over|above|über)\s*{_NUMBER}|{_NUMBER}\s*(?:\+|(?:and|or) (?:older|over|more|above))",
    re.IGNORECASE,
)
_QUARTER = re.compile(r"(\d{4})[ -]?[QT]([1-4])")
_PADDED = re.compile(r"\d+")

_WRITTEN = """
strongly disagree, disagree, somewhat disagree, neutral|undecided, somewhat agree, agree, strongly agree

strongly disagree, disagree, neither agree nor disagree, agree, strongly agree

very dissatisfied, dissatisfied, neutral, satisfied, very satisfied

very unlikely, unlikely, neutral, likely, very likely

never, rarely, sometimes, often, usually, always

very poor, poor, fair, good, very good, excellent

very bad, bad, neutral, good, very good

very low, low, medium, high, very high

none, mild, moderate, severe, very severe

stimme gar nicht zu|stimme uberhaupt nicht zu|lehne vollig ab, stimme nicht zu|stimme eher nicht zu|lehne ab,
neutral|teils/teils|teils teils|teils-teils|weder noch|unentschieden, stimme zu|stimme eher zu, stimme voll zu|stimme
voll und ganz zu|stimme vollig zu

trifft gar nicht zu|trifft uberhaupt nicht zu, trifft nicht zu|trifft eher nicht zu, teils/teils|teils
teils|teils-teils|neutral, trifft eher zu, trifft zu, trifft voll zu|trifft voll und ganz zu|trifft vollig zu

sehr unzufrieden, unzufrieden|eher unzufrieden, neutral|teils/teils|teils teils|teils-teils|weder noch, zufrieden|eher
zufrieden, sehr zufrieden

nie|niemals, selten, manchmal|gelegentlich, oft|haufig, meistens, immer

sehr schlecht, schlecht, mittelmassig|mittel|neutral, gut, sehr gut

sehr niedrig|sehr gering, niedrig|gering, mittel, hoch, sehr hoch

keine, leicht, mittel|massig, schwer|stark, sehr schwer|sehr stark

pas du tout d'accord|tout a fait en desaccord, pas d'accord|plutot pas d'accord|en desaccord, neutre|ni d'accord ni
pas d'accord|ni en accord ni en desaccord, d'accord|plutot d'accord, tout a fait d'accord

tres insatisfait|tres insatisfaite, insatisfait|insatisfaite, neutre|ni satisfait ni insatisfait,
satisfait|satisfaite, tres satisfait|tres satisfaite

jamais, rarement, parfois|quelquefois, souvent, presque toujours, toujours

tres mauvais|tres mauvaise, mauvais|mauvaise, moyen|moyenne|passable, bon|bonne, tres bon|tres bonne,
excellent|excellente

tres faible, faible, moyen|moyenne, eleve|elevee|fort|forte, tres eleve|tres elevee|tres fort|tres forte

muy en desacuerdo|totalmente en desacuerdo, en desacuerdo, neutral|indiferente|ni de acuerdo ni en desacuerdo, de
acuerdo, muy de acuerdo|totalmente de acuerdo

muy insatisfecho|muy insatisfecha, insatisfecho|insatisfecha, neutral|indiferente|ni satisfecho ni insatisfecho,
satisfecho|satisfecha, muy satisfecho|muy satisfecha

nunca, rara vez|casi nunca|raramente, a veces|algunas veces, a menudo|frecuentemente|con frecuencia, casi siempre,
siempre

muy malo|muy mala, malo|mala, regular, bueno|buena, muy bueno|muy buena, excelente

muy bajo|muy baja, bajo|baja, medio|media, alto|alta, muy alto|muy alta

fortemente in disaccordo|totalmente in disaccordo|per niente d'accordo, in disaccordo|poco d'accordo,
neutrale|indifferente|ne d'accordo ne in disaccordo, d'accordo|abbastanza d'accordo, fortemente d'accordo|totalmente
d'accordo|molto d'accordo

molto insoddisfatto|molto insoddisfatta, insoddisfatto|insoddisfatta, neutrale|indifferente|ne soddisfatto ne
insoddisfatto, soddisfatto|soddisfatta, molto soddisfatto|molto soddisfatta

mai, raramente, a volte|qualche volta, spesso, quasi sempre, sempre

molto cattivo|pessimo|pessima, cattivo|scarso|scarsa, discreto|sufficiente, buono|buona, molto buono|ottimo|ottima

molto basso|molto bassa, basso|bassa, medio|media, alto|alta, molto alto|molto alta

discordo totalmente|discordo completamente, discordo|discordo parcialmente, neutro|indiferente|nem concordo nem
discordo, concordo|concordo parcialmente, concordo totalmente|concordo completamente

muito insatisfeito|muito insatisfeita, insatisfeito|insatisfeita, neutro|indiferente|nem satisfeito nem insatisfeito,
satisfeito|satisfeita, muito satisfeito|muito satisfeita

nunca, raramente, as vezes|por vezes, frequentemente|muitas vezes, quase sempre, sempre

muito mau|muito ma|muito ruim, mau|ma|ruim, regular|razoavel, bom|boa, muito bom|muito boa, excelente|otimo|otima

muito baixo|muito baixa, baixo|baixa, medio|media, alto|alta, muito alto|muito alta
"""
_SCALES = tuple(
    {
        answer: place
        for place, answers in enumerate(" ".join(scale.split()).split(", "))
        for answer in answers.split("|")
    }
    for scale in _WRITTEN.split("\n\n")
)
"""Answers in six languages with their places, the lowest first; of several ways to say one, a table has one. Without accents."""
MOST_ORDERED = 60
"""Values up to which an order is written down."""


def order_of(texts: Iterable[str], *, codes: bool) -> list[str] | None:
    """Put texts in the order they have; None where not all of them have one. ``codes``: padded digits have one, too.

    >>> order_of(["[10-20)", "[0-10)"], codes=True), order_of(["65+", "<18", "18-64"], codes=True)
    (['[0-10)', '[10-20)'], ['<18', '18-64', '65+'])
    >>> order_of(["häufig", "nie", "selten"], codes=True), order_of(["Très satisfait", "Insatisfait"], codes=True)
    (['nie', 'selten', 'häufig'], ['Insatisfait', 'Très satisfait'])
    >>> order_of(["red", "blue"], codes=True)
    """
    values = list(texts)
    if not 2 <= len(values) <= MOST_ORDERED:
        return None
    for key in (_by_range, _by_quarter, *((_by_code,) if codes and len({*map(len, values)}) == 1 else ())):
        ranked = _ranked(values, key)
        if ranked is not None:
            return ranked
    for scale in _SCALES:
        ranked = _ranked(values, _by_scale(scale))
        if ranked is not None:
            return ranked
    return None


def _ranked(values: list[str], key: Callable[[str], tuple[float, ...] | None]) -> list[str] | None:
    """Sort values by their keys; None where one has no key, or two have the same."""
    keys = {value: key(value.strip()) for value in values}
    known = {value: own for value, own in keys.items() if own is not None}
    if len(known) < len(values) or len(set(known.values())) < len(values):
        return None
    return sorted(values, key=known.__getitem__)


def _by_range(text: str) -> tuple[float, ...] | None:
    """Lower end of a range, those that are open below first."""
    for pattern, rank in ((_BELOW, 0), (_RANGE, 1), (_ABOVE, 2)):
        found = pattern.fullmatch(text)
        if found:
            ends = [float(end) for end in found.groups() if end]
            return (rank, *ends) if ends == sorted(ends) else None
    return None


def _by_quarter(text: str) -> tuple[float, ...] | None:
    """Year and quarter."""
    found = _QUARTER.fullmatch(text)
    return None if found is None else tuple(map(float, found.groups()))


def _by_code(text: str) -> tuple[float, ...] | None:
    """Digits with zeros before them, as a number."""
    return (float(text),) if _PADDED.fullmatch(text) else None


def _by_scale(places: Mapping[str, int]) -> Callable[[str], tuple[float, ...] | None]:
    """Place of an answer on a scale."""

    def place(text: str) -> tuple[float, ...] | None:
        found = places.get(_plain(text))
        return None if found is None else (float(found),)

    return place


def _plain(text: str) -> str:
    """Small letters without accents, words one blank apart."""
    bare = unicodedata.normalize("NFD", text.lower().replace("ß", "ss").replace("’", "'"))
    return " ".join("".join(c for c in bare if not unicodedata.combining(c)).split())
