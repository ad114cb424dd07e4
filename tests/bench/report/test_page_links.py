"""Links into the report and the keys of its explorer, in a real browser."""

import pytest

from tests.bench.page_results import LAKE, key_of

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("link", ["#cell=deadbeef", "#policy=deadbeef", "#cell=constructor"])
def test_a_link_to_what_is_not_here_is_answered(visit, link):
    page = visit(link)
    assert "This page has no" in page.locator("#route-notice").inner_text()
    assert not page.locator("dialog[open]").count()


@pytest.mark.parametrize(
    "link, missing",
    [
        (",deadbeef", "policy deadbeef"),
        ("&start=99999", "plan from state 99999"),
        (",deadbeef&start=home", "policy deadbeef and no plan from state home"),
    ],
)
def test_a_link_that_is_partly_right_shows_that_part_and_says_what_is_missing(visit, link, missing):
    page = visit(f"#policy={key_of(LAKE, 0.01, 'spi')}{link}")
    assert f"This page has no {missing}:" in page.locator("#route-notice").inner_text()
    assert page.locator(".panel").count() == 1


def test_keys_step_the_explorer_wherever_the_focus_is(visit):
    page = visit(f"#policy={key_of(LAKE, 0.01, 'spi')}&start=0")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: "step=1" in url)
    page.keyboard.press("Home")
    page.wait_for_url(lambda url: "step=1" not in url)


def test_a_step_beyond_the_end_is_the_last_one(visit):
    page = visit(f"#policy={key_of(LAKE, 0.01, 'always-sense')}&start=0&step=1000000000")
    last = int(page.locator(".panel").get_attribute("data-step"))
    assert page.locator("#step").inner_text() == f"step {last}"
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(lambda url: f"step={last - 1}" in url)


@pytest.mark.parametrize("link", ["#nonsense", "#run=deadbeef", "#constructor", "#=1"])
def test_a_link_of_an_unknown_name_is_answered_and_the_next_good_one_takes_the_answer_away(
    visit, link
):
    page = visit(link)
    notice = page.locator("#route-notice")
    assert notice.inner_text().startswith("This page has no place called")
    page.evaluate("location.hash = 'explorer'")
    page.locator("#route-notice:empty").wait_for(state="attached")


@pytest.mark.parametrize("link", ["", "#comparison", "#settings"])
def test_a_part_of_the_page_is_a_place(visit, link):
    assert visit(link).locator("#route-notice").inner_text() == ""
