"""What a suite asks for twice is refused with both places; what only looks alike is not."""

import pytest

from bench.suites.suite import SuiteError, load_suite

PROBLEM = '[[problem]]\nid = "two-state"\nsensing_costs = [0.25]\n'
OTHER = '[[problem]]\nid = "inventory"\nsensing_costs = [0.2]\n'
SPI = '[[solver]]\nid = "spi"\n'


def load(folder, text):
    path = folder / "mine.toml"
    path.write_text(text)
    return load_suite(str(path))


TWICE = [
    (
        PROBLEM.replace("[0.25]", "[0.25, 1, 0.250]") + SPI,
        "problem[1].sensing_costs[3]: 0.25 stands already in problem[1].sensing_costs[1]; delete",
    ),
    (
        PROBLEM.replace("[0.25]", "[[0.1, 0.3], [0.1, 0.3]]") + SPI,
        "problem[1].sensing_costs[2]: [0.1, 0.3] stands already in problem[1].sensing_costs[1]",
    ),
    (
        PROBLEM + OTHER + PROBLEM + SPI,
        "problem[3]: two-state at the sensing cost 0.25 stands already in problem[1]; delete",
    ),
    (
        PROBLEM.replace("[0.25]", "{ from = 1, to = 1.01, count = 9 }") + SPI,
        "sensing_costs: rounded to 3 digits, only 2 of the 9 sensing costs differ; lower count",
    ),
    ("seeds = [4, 4]\n" + PROBLEM + SPI, "seeds: expected each seed once, found [4, 4]"),
    (
        PROBLEM + SPI + 'label = "SPI {init}"\n' + SPI + 'label = "SPI again"\n',
        "solver[2]: 'SPI again' is spi with the same options as 'SPI always-sense' (solver[1]) on "
        "two-state; delete one, or give it other options or only_problems",
    ),
    (PROBLEM + SPI + SPI + "options = { max_steps = 500 }\n", "solver[2]: 'spi' is spi with the"),
    (
        PROBLEM + OTHER + SPI + 'only_problems = ["two-*"]\n' + SPI,
        "solver[2]: 'spi' is spi with the same options as 'spi' (solver[1]) on two-state; delete",
    ),
    (PROBLEM + SPI + SPI + "budget = 9\n", "results do not tell two budgets apart"),
    (
        PROBLEM + SPI + "each = { max_steps = [5, 5] }\n",
        "solver[1]: 'each' gives spi with the same options twice",
    ),
]


@pytest.mark.parametrize(("text", "told"), TWICE)
def test_what_stands_twice_is_refused_in_one_line(tmp_path, text, told):
    with pytest.raises(SuiteError) as error:
        load(tmp_path, text)
    assert told in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        PROBLEM + SPI + SPI + "options = { max_steps = 9 }\n",
        PROBLEM + PROBLEM.replace("0.25", "0.5") + SPI,
        PROBLEM + OTHER + SPI + 'only_problems = ["two-*"]\n' + SPI + 'only_problems = ["inv*"]\n',
        PROBLEM + SPI + "each = { max_steps = [5, 6] }\n",
    ],
)
def test_what_only_looks_alike_is_not_refused(tmp_path, text):
    cells = load(tmp_path, text).cells()
    assert len({cell.identity for cell in cells}) == len(cells) == 2
