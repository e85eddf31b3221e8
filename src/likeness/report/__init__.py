"""Pages for people: the public certificate and the steward's private report, plain tables without scripts."""

from __future__ import annotations

from likeness.report.certificate_page import certificate_page, is_page_of
from likeness.report.report_page import report_page

__all__ = ["certificate_page", "is_page_of", "report_page"]
