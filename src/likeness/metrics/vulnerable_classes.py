"""Share of equivalence classes that identity-reserved anonymity leaves vulnerable (Wang et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from likeness import registry
from likeness.checks import whole
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import holding_classes
from likeness.metrics.base import Metric
from likeness.models.eir_alpha_beta_anonymity import EirAlphaBetaAnonymity
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.models.ir_alpha_beta_anonymity import IrAlphaBetaAnonymity
from likeness.models.ir_kl_anonymity import IrKlAnonymity
from likeness.models.requirements import require_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.metrics.base import Evaluation
    from likeness.models.base import PrivacyModel


@dataclass(frozen=True)
class VulnerableClasses(Metric):
    """Share of equivalence classes that look safe and are not: they hold an IR model, and not the EIR model of the same bound.

    Give l, or alpha and beta. A class is vulnerable when it is

    * IR (l, l)-anonymous, but not EIR l-diverse; or
    * IR (α, β)-anonymous, but not EIR (α, β)-anonymous:

    an adversary who takes one record for each individual of the class may then learn more of a person than the bound allows.

    Parameters
    ----------
    l
        Fewest individuals, and fewest sensitive values, of a class.
    alpha, beta
        Largest share of one individual in a class's records; largest share of one sensitive value.
    sensitive
        The sensitive column; every one when left out: a class is then vulnerable when it holds the first model in all of them,
        and not the second.

    Notes
    -----
    Both models are decided exactly. Where the policy names no column of individuals, every record is another person's, and
    no class is vulnerable. When nothing is published the value is 0.

    References
    ----------
    Wang et al. 2019, section 5, v = Num_vec / Num_ec; definitions 2.3, 3.3 and 3.4.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> VulnerableClasses(l=2).measure(mini_table())
    0.0
    >>> VulnerableClasses(alpha=0.6, beta="2/5")
    VulnerableClasses(l=None, alpha=0.6, beta='2/5', sensitive=None)
    """

    l: int | None = None  # noqa: E741  # the paper's name
    alpha: Any = None
    beta: Any = None
    sensitive: str | None = None

    name: ClassVar[str] = "vulnerable-classes"
    is_share: ClassVar[bool] = True
    range: ClassVar[str] = "0 to 1: 0 when no class is vulnerable, 1 when all are"
    withheld: ClassVar[str] = "Left out: they are in no class."

    def __post_init__(self) -> None:
        given = tuple(name for name in ("l", "alpha", "beta") if getattr(self, name) is not None)
        if given not in {("l",), ("alpha", "beta")}:
            got = ", ".join(given) or "none of them"
            raise PolicyError(Refusal(f"needs either l, or alpha and beta; got {got}", (self.name,)))
        if self.l is not None:
            whole(self.name, "l", self.l, at_least=1)
        try:
            self._models()
        except PolicyError as problem:
            raise PolicyError(*problem.within(self.name)) from None

    def _models(self) -> tuple[PrivacyModel, PrivacyModel]:
        """Make the identity-reserved model and the enhanced one."""
        if self.l is not None:
            return (
                IrKlAnonymity(self.l, self.l, sensitive=self.sensitive),
                EirLDiversity(self.l, sensitive=self.sensitive),
            )
        return (
            IrAlphaBetaAnonymity(self.alpha, self.beta, sensitive=self.sensitive),
            EirAlphaBetaAnonymity(self.alpha, self.beta, sensitive=self.sensitive),
        )

    @classmethod
    def asked(cls, models: tuple[PrivacyModel, ...]) -> dict[str, Any] | None:
        """Take the largest l that a model asks of individuals, else the first α and β."""
        about = [registry.parameters(model) for model in models if model.about_individuals]
        bounds = sorted((given for given in about if "l" in given), key=itemgetter("l"), reverse=True)
        bounds += [given for given in about if "alpha" in given]
        # A model that asks for k individuals with l values is judged by its l.
        own = {one.name for one in fields(cls)}
        return {name: value for name, value in bounds[0].items() if name in own} if bounds else None

    def measure(self, evaluation: Evaluation) -> float:
        """Count the vulnerable classes.

        Raises
        ------
        PolicyError
            When there is no sensitive attribute, or none of that name.
        """
        plan, data, classes = evaluation.plan, evaluation.data, evaluation.recoding.classes
        if plan.sensitive is not None:
            data = replace(data, sensitive_codes=plan.sensitive)
        kept = data.take(plan.published.nonzero()[0])
        own = plan.classes[plan.published]

        def holds(model: PrivacyModel) -> NDArray[Any]:
            return holding_classes(require_of((model,), kept), kept, own, classes)

        plain, enhanced = map(holds, self._models())
        return int((plain & ~enhanced).sum()) / max(1, classes)
