"""The report in a real browser: everything a reader can do with it."""

import re

import numpy as np
import pytest

from bench.problems import find_problem
from solvers import solve
from tests.bench import page_results
from tests.bench.page_results import LAKE, NASTY, key_of

pytestmark = pytest.mark.browser


def rows(page):
    """(problem, k) of each row shown."""
    lines = page.locator("#table tbody tr").all()
    return [tuple(line.locator("th").all_text_contents()) for line in lines]


def test_table_has_value_paper_gap_and_time(visit):
    page = visit()
    cell = page.locator(f'button[data-key="{key_of(LAKE, 0.01, "spi")}"]')
    assert re.search(r"20\.99.*%.*(ms| s).*paper 20\.99", cell.inner_text(), re.DOTALL)
    assert "best" in cell.get_attribute("class")
    weight = "e => getComputedStyle(e.querySelector('.value')).fontWeight"
    other = page.locator(f'button[data-key="{key_of(LAKE, 0.01, "atm")}"]')
    assert int(cell.evaluate(weight)) > int(other.evaluate(weight))
    bound = page.locator(f'button[data-key="{key_of(LAKE, 0.01, "delayed-information")}"]')
    assert bound.inner_text().startswith("≤ ")


def test_sorting_by_k_and_by_a_solvers_value(visit):
    page = visit()
    page.get_by_role("button", name="k", exact=True).click()
    assert [k for _, k in rows(page)] == ["0.005", "0.01", "0.1", "0.2"]
    page.locator("th.k button").click()
    assert [k for _, k in rows(page)] == ["0.2", "0.1", "0.01", "0.005"]
    assert page.locator("thead th.k").get_attribute("aria-sort") == "descending"
    page.locator("th button[data-column=SPI]").click()
    values = page.locator('#table td[data-solver="SPI"]').all_inner_texts()
    numbers = [float(text.split()[0]) for text in values if text[:1].isdigit()]
    assert len(numbers) == 2 and numbers == sorted(numbers)
    assert not any(values[-1].split()[:1] == [str(n)] for n in numbers)  # blanks come last
    page.select_option("#measure", "time")
    seconds = page.locator("th button[data-column=SPI]").get_attribute("title")
    assert seconds == "Sort by time"


def test_filtering_by_problem_k_and_solver(visit):
    page = visit()
    total = len(page_results.RUNS) + 1
    page.locator(f'.chip[data-filter=problem][data-value="{LAKE}"]').click()
    assert {k for _, k in rows(page)} == {"0.005", "0.01"}
    page.locator('.chip[data-filter=k][data-value="0.01"]').click()
    page.locator('.chip[data-filter=solver][data-value="ATM"]').click()
    assert page.locator("#count").inner_text() == f"1 of {total} runs shown"
    assert page.locator("#table button.cell").count() == 1
    page.get_by_role("button", name="Show all").click()
    assert page.locator("#table button.cell").count() == total


def test_a_cell_opens_by_keyboard_and_tells_its_run(visit):
    page = visit()
    first = page.locator(f'button[data-key="{key_of(LAKE, 0.005, "spi")}"]')
    first.focus()
    page.keyboard.press("ArrowRight")
    focused = page.evaluate("document.activeElement.dataset.key")
    assert focused == key_of(LAKE, 0.005, "atm")
    page.keyboard.press("Enter")
    dialog = page.locator("dialog[open]")
    text = dialog.inner_text()
    for part in ("ATM", "Value", "Published", "36.52", "Plans", "then look", "Options", "20 s"):
        assert part in text
    dialog.locator("summary").click()
    assert "<i>quick</i>" in dialog.inner_text()  # the machine it ran on
    page.wait_for_url(lambda url: url.endswith(f"#cell={focused}"))
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "#" not in url)  # the browser tells of it a moment later
    assert page.locator("dialog[open]").count() == 0
    assert page.evaluate("document.activeElement.dataset.key") == focused


def test_a_failed_run_says_why(visit):
    page = visit(f"#cell={len(page_results.RUNS):016x}")
    assert "timeout: timeout 20 s <b>hard</b>" in page.get_by_role("alert").inner_text()
    page.get_by_role("button", name="Close").click()
    cell = page.locator(f'button[data-key="{len(page_results.RUNS):016x}"]')
    assert "timeout 20 s <b>hard</b>" in cell.inner_text()


def shares(panel):
    """State name -> percent, as the bars of a panel tell."""
    names = panel.locator(".bars .bar-name").all_inner_texts()
    texts = panel.locator(".bars .bar-share").all_inner_texts()
    found = dict(zip(names, texts, strict=True))
    return {n.removesuffix(" (terminal)"): float(t.rstrip(" %")) for n, t in found.items()}


def test_stepping_shows_the_models_beliefs_costs_and_looks(visit):
    """Every step from the start to past the first look agrees with the model in Python."""
    model = find_problem(LAKE).build(0.01)
    policy = solve(model, "spi").policy
    plan = policy.plan(0)
    assert plan.senses
    page = visit(f"#policy={key_of(LAKE, 0.01, 'spi')}&start=0")
    panel = page.locator(".panel")
    belief, cost = np.eye(model.num_states)[0], 0.0
    for t, action in enumerate(plan.actions):
        assert page.locator("#step").inner_text() == f"step {t}"
        assert panel.locator(".action-name").inner_text() == model.action_names[action]
        shown = panel.locator(".panel-facts dd").first.inner_text().replace("\u2212", "-")
        assert float(shown) == pytest.approx(-1000 * cost, abs=6e-4)
        for name, percent in shares(panel).items():
            if name in model.state_names:
                assert percent == pytest.approx(100 * belief[model.state_index(name)], rel=0.05)
        cost += 0.9**t * (belief @ model.costs[:, action])
        belief = belief @ model.transitions[action]
        looks = panel.locator(".badge.looks").count() == 1
        assert looks == (t == len(plan.actions) - 1)
        if not looks:
            page.locator("#next").click()
    options = page.locator("#look-0 option").all_inner_texts()
    assert len(options) == np.count_nonzero(belief)
    seen = next(int(s) for s in np.argsort(-belief) if not model.terminal[s])
    page.select_option("#look-0", str(seen))
    page.locator("#next").click()
    assert panel.locator(".since").inner_text() == f"saw {model.state_names[seen]}"
    then = model.action_names[policy.plan(seen).actions[0]]
    assert panel.locator(".action-name").inner_text() == then
    paid = 0.9 ** (len(plan.actions) - 1) * 0.01
    shown = panel.locator(".panel-facts dd").first.inner_text().replace("\u2212", "-")
    assert float(shown) == pytest.approx(-1000 * (cost + paid), abs=6e-4)
    page.wait_for_url(lambda url: f"seen={seen}" in url)
    again = page.url[page.url.index("#") :]
    assert visit(again).locator(".panel").inner_text() == panel.inner_text()


def test_arrow_keys_step_and_two_solvers_stand_side_by_side(visit):
    page = visit(f"#policy={key_of(LAKE, 0.01, 'spi')},{key_of(LAKE, 0.01, 'atm')}&step=1")
    panels = page.locator(".panel")
    assert panels.locator("h3").all_inner_texts() == ["SPI", "ATM"]
    tops = [box["y"] for box in (panels.nth(i).bounding_box() for i in (0, 1))]
    assert tops[0] == tops[1]
    page.keyboard.press("ArrowRight")
    assert page.locator("#step").inner_text() == "step 2"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    assert page.locator("#step").inner_text() == "step 0"
    assert page.locator(".grid .root").count() == 2
    page.select_option("#pick-beside", "")
    assert panels.count() == 1
    page.select_option("#pick-problem", "inventory")
    assert page.locator(".panel .grid").count() == 0 and page.locator(".bars li").count() > 0


def test_dark_by_system_and_by_toggle(visit):
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = visit().evaluate(ground), visit(scheme="dark").evaluate(ground)
    brightness = [sum(map(int, re.findall(r"\d+", colour))) for colour in (light, dark)]
    assert brightness[0] > 600 and brightness[1] < 150
    page = visit()
    toggle = page.locator("#theme")
    for expected in (light, dark, light):  # light, dark, as the system says
        toggle.click()
        assert page.evaluate(ground) == expected


def test_names_that_are_markup_stay_names(visit):
    page = visit(f"#policy={key_of(NASTY, 0.1, 'atm')}")
    assert NASTY in [title for title, _ in rows(page) for title in [title.removesuffix("cost")]]
    assert page.locator(".panel .since").inner_text() == f"starts in </script>{NASTY}"
    assert "onerror=alert(3)" in page.locator(".panel").inner_text()
    page.locator(f'button[data-key="{key_of(NASTY, 0.1, "atm")}"]').click()
    assert NASTY in page.locator("dialog .kicker").inner_text()
    assert "onerror=alert(3)" in page.locator("dialog").inner_text()
    assert page.locator("img[src=x]").count() == 0
    figure = page.locator("#figure-list img")
    assert figure.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


def test_a_phone_needs_no_sideways_scrolling(visit):
    for link in ("", f"#policy={key_of(LAKE, 0.01, 'spi')},{key_of(LAKE, 0.01, 'atm')}&step=3"):
        page = visit(link, width=360)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.locator("thead").is_hidden()
        page.select_option("#sort-rows", "k")
        assert [k for _, k in rows(page)] == ["0.005", "0.01", "0.1", "0.2"]
    page = visit(f"#cell={key_of(LAKE, 0.01, 'spi')}", width=360)
    rights = "e => [e, ...e.querySelectorAll('*')].map(x => x.getBoundingClientRect().right)"
    assert max(page.locator("dialog").evaluate(rights)) <= 361


def test_a_cell_that_was_not_run_says_so_and_a_filtered_one_does_not(visit):
    page = visit()
    assert page.locator("td .not-run").count() > 0
    empty = page.locator("#table td").filter(has_not=page.locator("button, .not-run"))
    assert empty.count() == 0


def test_a_table_wider_than_the_page_says_that_it_scrolls(visit):
    page = visit(width=760)
    wider = page.evaluate(
        "(t => t.scrollWidth > t.clientWidth + 1)(document.querySelector('#table'))"
    )
    assert page.locator("#scroll-hint").is_visible() == wider
    page.set_viewport_size({"width": 2400, "height": 900})
    page.locator("#scroll-hint").wait_for(state="hidden")  # the page learns of it a moment later


@pytest.mark.parametrize("width", [390, 760, 1280])
def test_no_row_of_the_table_is_hidden_in_a_frame(visit, width):
    page = visit(width=width)
    page.set_viewport_size({"width": width, "height": 200})  # lower than the table
    frame = "(t => [t.scrollHeight, t.clientHeight])(document.querySelector('#table'))"
    inside, shown = page.evaluate(frame)
    assert inside <= shown + 1


def test_headings_stay_in_sight_over_the_last_row(visit):
    page = visit(width=760)
    page.set_viewport_size({"width": 760, "height": 400})
    page.evaluate(
        "scrollTo(0, scrollY + document.querySelector('#table').getBoundingClientRect().top + 90)"
    )
    drawn_twice = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    page.evaluate(drawn_twice)
    top = "document.querySelector('{}').getBoundingClientRect().top"
    assert page.evaluate(top.format("#table")) < -80  # where they stood before
    for heading in ("thead th.problem", "thead th.solver"):
        assert abs(page.evaluate(top.format(heading))) < 2


def test_the_edge_of_a_table_fades_while_there_is_more_beyond_it(visit):
    page = visit(width=760)
    # How wide the table is depends on the machine's letters and times: make it wider than the page.
    page.evaluate("document.querySelector('#table table').style.minWidth = '2000px'")
    page.evaluate("dispatchEvent(new Event('resize'))")
    page.locator("#table.goes-on").wait_for()
    page.evaluate("document.querySelector('#table').scrollLeft = 1e6")
    page.locator("#table:not(.goes-on)").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_of_a_grid_have_a_halo_that_is_not_the_shade_of_a_belief(visit, scheme):
    page = visit(f"#policy={key_of(LAKE, 0.01, 'spi')}&start=0", scheme=scheme)
    look = """e => (s => [s.fill, s.stroke, s.paintOrder])(getComputedStyle(e))"""
    fill, stroke, order = page.locator(".grid .letter").first.evaluate(look)
    assert order.startswith("stroke")

    def light(colour):
        return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3

    assert abs(light(fill) - light(stroke)) > 150
