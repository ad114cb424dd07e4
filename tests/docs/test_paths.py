"""A file or folder of the sources that a page names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
NAMED = re.compile(
    r"`((?:bench|solvers|pomdp_bridge|tests)/[\w./-]+|julia/(?:src|test|solvers)[\w./-]*)`"
)


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name != "CHANGELOG.md"], ids=lambda p: p.name
)
def test_files_that_a_page_names_are_there(page):
    missing = [
        n for n in NAMED.findall(page.read_text(encoding="utf-8")) if not (ROOT / n).exists()
    ]
    assert missing == []
