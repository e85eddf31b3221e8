"""Publish tables about people with a proven privacy guarantee at the least loss of information.

``anonymize`` finds and proves a release; ``Policy`` with ``identifier``, ``quasi``, ``sensitive``, ``other`` and ``drop``
declares what the columns mean; every privacy model, method, form, metric and attack is here under its class name
(``KAnonymity``, ``Mondrian``, ``LinkageAttack`` …). Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness._version import __version__

if TYPE_CHECKING:
    # What editors and type checkers see, nothing else; tests/test_public_types.py says which line a new part needs.
    from likeness.anonymization import anonymize
    from likeness.applying import apply
    from likeness.attacks.background_knowledge import BackgroundKnowledgeAttack as BackgroundKnowledgeAttack
    from likeness.attacks.categorical_similarity import (
        CategoricalSimilarityAttack as CategoricalSimilarityAttack,
    )
    from likeness.attacks.composition import CompositionAttack as CompositionAttack
    from likeness.attacks.corruption import CorruptionAttack as CorruptionAttack
    from likeness.attacks.definetti import DefinettiAttack as DefinettiAttack
    from likeness.attacks.downcoding import DowncodingAttack as DowncodingAttack
    from likeness.attacks.fingerprint import FingerprintAttack as FingerprintAttack
    from likeness.attacks.homogeneity import HomogeneityAttack as HomogeneityAttack
    from likeness.attacks.linkage import LinkageAttack as LinkageAttack
    from likeness.attacks.membership import MembershipAttack as MembershipAttack
    from likeness.attacks.minimality import MinimalityAttack as MinimalityAttack
    from likeness.attacks.naive_bayes import NaiveBayesAttack as NaiveBayesAttack
    from likeness.attacks.non_membership import NonMembershipAttack as NonMembershipAttack
    from likeness.attacks.sensitive_variance import SensitiveVarianceAttack as SensitiveVarianceAttack
    from likeness.attacks.sensitive_vertical import SensitiveVerticalAttack as SensitiveVerticalAttack
    from likeness.attacks.similarity import SimilarityAttack as SimilarityAttack
    from likeness.attacks.skewness import SkewnessAttack as SkewnessAttack
    from likeness.checking import Checked, check
    from likeness.comparing import Comparison, compare
    from likeness.datasets.bkseq import Bkseq as Bkseq
    from likeness.datasets.census import Census as Census
    from likeness.datasets.hospital import Hospital as Hospital
    from likeness.datasets.hospital_visits import HospitalVisits as HospitalVisits
    from likeness.datasets.informs import Informs as Informs
    from likeness.datasets.isp import Isp as Isp
    from likeness.datasets.symptoms import Symptoms as Symptoms
    from likeness.dossier.base import Dossier
    from likeness.engines.memory import MemoryEngine as MemoryEngine
    from likeness.engines.spark import SparkEngine as SparkEngine
    from likeness.engines.streaming import StreamingEngine as StreamingEngine
    from likeness.errors import (
        CannotBeMetError,
        HierarchyError,
        InvalidError,
        LikenessError,
        MethodFailedError,
        OutputError,
        PolicyError,
        TableError,
        VerificationError,
    )
    from likeness.folder import verify
    from likeness.forms.anatomized import AnatomizedForm as AnatomizedForm
    from likeness.forms.angelized import AngelizedForm as AngelizedForm
    from likeness.forms.baseline import BaselineForm as BaselineForm
    from likeness.forms.generalized import GeneralizedForm as GeneralizedForm
    from likeness.forms.identity_reserved import IdentityReservedForm as IdentityReservedForm
    from likeness.forms.microaggregated import MicroaggregatedForm as MicroaggregatedForm
    from likeness.forms.mixed import MixedForm as MixedForm
    from likeness.forms.perturbed import PerturbedForm as PerturbedForm
    from likeness.hierarchies import Hierarchy, read_hierarchy
    from likeness.holding_out import HeldOut, hold_out
    from likeness.knowledge.frequency import FrequencyKnowledge as FrequencyKnowledge
    from likeness.knowledge.kernel import KernelKnowledge as KernelKnowledge
    from likeness.knowledge.release import ReleaseKnowledge as ReleaseKnowledge
    from likeness.knowledge.sequence import SequenceKnowledge as SequenceKnowledge
    from likeness.knowledge.table import TableKnowledge as TableKnowledge
    from likeness.methods.anatomy import Anatomy as Anatomy
    from likeness.methods.angel import Angel as Angel
    from likeness.methods.baseline import Baseline as Baseline
    from likeness.methods.beta_likeness_primacy import BetaLikenessPrimacy as BetaLikenessPrimacy
    from likeness.methods.burel import Burel as Burel
    from likeness.methods.danonyir import Danonyir as Danonyir
    from likeness.methods.datafly import Datafly as Datafly
    from likeness.methods.exchange_cuts import ExchangeCuts as ExchangeCuts
    from likeness.methods.geneir import Geneir as Geneir
    from likeness.methods.hilbert_index import HilbertIndex as HilbertIndex
    from likeness.methods.incognito import Incognito as Incognito
    from likeness.methods.k_anonymity_primacy import KAnonymityPrimacy as KAnonymityPrimacy
    from likeness.methods.k_member import KMember as KMember
    from likeness.methods.lagrangian_recoding import LagrangianRecoding as LagrangianRecoding
    from likeness.methods.local_recoding import LocalRecoding as LocalRecoding
    from likeness.methods.local_search import LocalSearch as LocalSearch
    from likeness.methods.m_invariant import MInvariant as MInvariant
    from likeness.methods.mdav import Mdav as Mdav
    from likeness.methods.mondrian import Mondrian as Mondrian
    from likeness.methods.one_to_many_generalization import OneToManyGeneralization as OneToManyGeneralization
    from likeness.methods.optimal import Optimal as Optimal
    from likeness.methods.perturbation import Perturbation as Perturbation
    from likeness.methods.pl_angelization import PlAngelization as PlAngelization
    from likeness.methods.regions_of import RegionsOf as RegionsOf
    from likeness.methods.sabre import Sabre as Sabre
    from likeness.methods.sbca import Sbca as Sbca
    from likeness.methods.t_close_microaggregation import TCloseMicroaggregation as TCloseMicroaggregation
    from likeness.methods.theta_sensitive import ThetaSensitive as ThetaSensitive
    from likeness.methods.theta_star_utility import ThetaStarUtility as ThetaStarUtility
    from likeness.metrics.ail import Ail as Ail
    from likeness.metrics.average_class_size import AverageClassSize as AverageClassSize
    from likeness.metrics.c_avg import CAvg as CAvg
    from likeness.metrics.classification import Classification as Classification
    from likeness.metrics.correlation_loss import CorrelationLoss as CorrelationLoss
    from likeness.metrics.discernibility import Discernibility as Discernibility
    from likeness.metrics.emd import Emd as Emd
    from likeness.metrics.gcp import Gcp as Gcp
    from likeness.metrics.generalization_height import GeneralizationHeight as GeneralizationHeight
    from likeness.metrics.glm import Glm as Glm
    from likeness.metrics.iloss import Iloss as Iloss
    from likeness.metrics.kl_divergence import KlDivergence as KlDivergence
    from likeness.metrics.minimal_distortion import MinimalDistortion as MinimalDistortion
    from likeness.metrics.ncp import Ncp as Ncp
    from likeness.metrics.nloss import Nloss as Nloss
    from likeness.metrics.non_uniform_entropy import NonUniformEntropy as NonUniformEntropy
    from likeness.metrics.precision import Precision as Precision
    from likeness.metrics.query_error import QueryError as QueryError
    from likeness.metrics.record_linkage import RecordLinkage as RecordLinkage
    from likeness.metrics.relative_difference import RelativeDifference as RelativeDifference
    from likeness.metrics.rgcp import Rgcp as Rgcp
    from likeness.metrics.sse import Sse as Sse
    from likeness.metrics.utility import Utility as Utility
    from likeness.metrics.vulnerable_classes import VulnerableClasses as VulnerableClasses
    from likeness.metrics.vulnerable_records import VulnerableRecords as VulnerableRecords
    from likeness.models.alpha_k_anonymity import AlphaKAnonymity as AlphaKAnonymity
    from likeness.models.balanced_p_plus_sensitivity import (
        BalancedPPlusSensitivity as BalancedPPlusSensitivity,
    )
    from likeness.models.basic_beta_likeness import BasicBetaLikeness as BasicBetaLikeness
    from likeness.models.beta_likeness import BetaLikeness as BetaLikeness
    from likeness.models.bt_privacy import BtPrivacy as BtPrivacy
    from likeness.models.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from likeness.models.distinct_l_diversity import DistinctLDiversity as DistinctLDiversity
    from likeness.models.eir_alpha_beta_anonymity import EirAlphaBetaAnonymity as EirAlphaBetaAnonymity
    from likeness.models.eir_l_diversity import EirLDiversity as EirLDiversity
    from likeness.models.entropy_l_diversity import EntropyLDiversity as EntropyLDiversity
    from likeness.models.ir_alpha_beta_anonymity import IrAlphaBetaAnonymity as IrAlphaBetaAnonymity
    from likeness.models.ir_k_anonymity import IrKAnonymity as IrKAnonymity
    from likeness.models.ir_kl_anonymity import IrKlAnonymity as IrKlAnonymity
    from likeness.models.js_background import JsBackground as JsBackground
    from likeness.models.k_anonymity import KAnonymity as KAnonymity
    from likeness.models.kl_diversity import KlDiversity as KlDiversity
    from likeness.models.m_invariance import MInvariance as MInvariance
    from likeness.models.membership_safety import MembershipSafety as MembershipSafety
    from likeness.models.p_alpha_sensitivity import PAlphaSensitivity as PAlphaSensitivity
    from likeness.models.p_plus_sensitivity import PPlusSensitivity as PPlusSensitivity
    from likeness.models.p_sensitivity import PSensitivity as PSensitivity
    from likeness.models.proximity import Proximity as Proximity
    from likeness.models.recursive_cl_diversity import RecursiveClDiversity as RecursiveClDiversity
    from likeness.models.rho_privacy import RhoPrivacy as RhoPrivacy
    from likeness.models.t_closeness import TCloseness as TCloseness
    from likeness.models.theta_sensitivity import ThetaSensitivity as ThetaSensitivity
    from likeness.opening import open_release
    from likeness.policy import Policy, drop, identifier, other, quasi, sensitive
    from likeness.profiling import profile
    from likeness.publishing import PartedRelease, Preview, preview, publish
    from likeness.queries.query import Query
    from likeness.release import Release
    from likeness.risk.summary import Risk
    from likeness.searching import Searched, strongest, weakest
    from likeness.tables import read

_WHERE = {
    "anonymize": "anonymization",
    "apply": "applying",
    **dict.fromkeys(("Checked", "check"), "checking"),
    **dict.fromkeys(("Comparison", "compare"), "comparing"),
    **dict.fromkeys(
        (
            "CannotBeMetError",
            "HierarchyError",
            "InvalidError",
            "LikenessError",
            "MethodFailedError",
            "OutputError",
            "PolicyError",
            "TableError",
            "VerificationError",
        ),
        "errors",
    ),
    "open_release": "opening",
    "verify": "folder",
    "Query": "queries.query",
    "Hierarchy": "hierarchies",
    "read_hierarchy": "hierarchies",
    **dict.fromkeys(("Policy", "drop", "identifier", "other", "quasi", "sensitive"), "policy"),
    "profile": "profiling",
    **dict.fromkeys(("PartedRelease", "Preview", "preview", "publish"), "publishing"),
    "Dossier": "dossier.base",
    "Release": "release",
    "Risk": "risk.summary",
    **dict.fromkeys(("HeldOut", "hold_out"), "holding_out"),
    **dict.fromkeys(("Searched", "strongest", "weakest"), "searching"),
    "read": "tables",
}

__all__ = [
    "CannotBeMetError",
    "Checked",
    "Comparison",
    "Dossier",
    "HeldOut",
    "Hierarchy",
    "HierarchyError",
    "InvalidError",
    "LikenessError",
    "MethodFailedError",
    "OutputError",
    "PartedRelease",
    "Policy",
    "PolicyError",
    "Preview",
    "Query",
    "Release",
    "Risk",
    "Searched",
    "TableError",
    "VerificationError",
    "__version__",
    "anonymize",
    "apply",
    "check",
    "compare",
    "drop",
    "hold_out",
    "identifier",
    "open_release",
    "other",
    "preview",
    "profile",
    "publish",
    "quasi",
    "read",
    "read_hierarchy",
    "sensitive",
    "strongest",
    "verify",
    "weakest",
]


if not TYPE_CHECKING:  # else type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first used; parts are found by their file names."""
        from importlib import import_module

        if name in _WHERE:
            return getattr(import_module(f"likeness.{_WHERE[name]}"), name)
        if name[:1].isupper():
            from likeness import registry

            part = registry.find_public(name)
            if part is not None:
                return registry.load(*part)
        raise AttributeError(f"module 'likeness' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List public names, parts included."""
    from likeness import registry

    parts = [registry.class_name(kind, name) for kind in registry.KINDS for name in registry.names(kind)]
    return sorted({*__all__, *parts})
