"""The documentation builds as a site: every page is in its index, every link leads somewhere."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built with warnings as errors: a broken link or a page left out of nav is one."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there(site):
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix("")
        built = site / name.parent / ("" if name.name == "index" else name.name) / "index.html"
        assert built.is_file(), f"{page.name} is not in the site"


def test_the_reference_has_every_public_name(site):
    import solvers

    text = (site / "api/solvers/index.html").read_text(encoding="utf-8")
    for name in solvers.__all__:
        assert f'id="solvers.{name}"' in text, f"{name} is missing from the API reference"
