"""How Sphinx builds the site: ``make docs``. Nothing is fetched, neither by the build nor by its pages."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from likeness import __version__

project = "likeness"
copyright = "the likeness maintainers"  # noqa: A001  # Sphinx's name
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "_site.extension",
]
exclude_patterns = ["_site"]
nitpicky = True
nitpick_ignore_regex = [
    # Types of other libraries, whose sites are not asked; and our own that are no public name.
    ("py:.*", r"(?!likeness\.).*"),
    ("py:.*", r"likeness\.[a-z_]+\..*"),
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_class_signature = "mixed"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
smartquotes = False  # two hyphens begin an option
smartquotes = False  # two hyphens are an option
default_role = "named"

html_theme = "furo"
html_title = f"likeness {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
