"""Pages for people: the public certificate and the steward's private report, plain tables without scripts."""

from __future__ import annotations

from likeness.report.certificate_page import certificate_page
from likeness.report.report_page import report_page

__all__ = ["certificate_page", "report_page"]
