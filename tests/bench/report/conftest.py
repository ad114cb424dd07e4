"""The report of a small suite in a real browser, opened from disk."""

import shutil

import pytest

from bench.analysis.results import Results
from bench.report.report import write_report
from tests.bench import page_results

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bench.problems.registry.problems", page_results.with_nasty_problem())
        page_results.write_results(folder)
        return write_report(Results.load(page_results.SUITE, folder)).as_uri()


@pytest.fixture(scope="module")
def browser():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium here: install the package chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser, address):
    """Open the page at a hash; at the end nothing may have complained, asked or gone outside."""
    complaints = []
    contexts = []

    def open_page(link="", width=1280, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: note_request(request.url))
        page.goto(address + link)
        page.wait_for_selector("html[data-ready=all]")
        return page

    def note_request(url):
        if not url.startswith(("data:", address)):
            complaints.append(f"asked for {url}")

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
