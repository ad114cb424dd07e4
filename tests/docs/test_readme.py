"""Every command and snippet of the README is run as it stands there, and its links lead somewhere.

``make`` and ``sensebench julia setup`` are the two that are not: the first runs this test, the
second downloads Julia.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cli import main
from bench.store.store import Store
from bench.tables.short_table import short_table
from pomdp_bridge.julia import environment

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
FILES = {
    code.split("\n", 1)[0].removeprefix("# file: "): code
    for language, code in SNIPPETS
    if language == "python" and code.startswith("# file: ")
}
COMMANDS = [
    line.split("  #")[0].strip()
    for language, block in SNIPPETS
    if language == "sh"
    for line in block.splitlines()
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder with the README's files in it."""
    for name, code in FILES.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sensebench(command: str) -> int:
    words = shlex.split(command)
    assert words[0] == "sensebench"
    return main(words[1:])


def test_there_is_something_to_run():
    assert len(COMMANDS) >= 12 and len(FILES) == 1


@pytest.mark.parametrize("target", [c for c in COMMANDS if c.startswith("make")])
def test_make_targets_exist(target):
    done = subprocess.run(["make", "-n", *target.split()[1:]], cwd=ROOT, capture_output=True)
    assert done.returncode == 0


def test_python_snippets_run(folder):
    snippets = [c for lang, c in SNIPPETS if lang == "python" and not c.startswith("# file: ")]
    assert snippets
    for code in snippets:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "then look" in done.stdout


@pytest.mark.parametrize(
    "command",
    [c for c in COMMANDS if re.match(r"sensebench (list|solve|certify|export|check|advise) ?", c)],
)
def test_single_commands_run(folder, command, capsys):
    assert sensebench(command) == 0
    assert capsys.readouterr().out


def test_a_proof_and_a_policy_file_are_checked(folder, capsys):
    saved = next(c for c in COMMANDS if "--proof" in c)
    for command in (saved, *(c for c in COMMANDS if re.match(r"sensebench (verify|score) ", c))):
        assert sensebench(command) == 0
    assert capsys.readouterr().out


def test_a_suite_runs_and_shows_its_table_figures_and_page(folder, capsys):
    first = next(c for c in COMMANDS if c == "sensebench run quick")
    # The README runs all of it; two of its methods stand for it here.
    cells = ["--only", "spi/*", "--only", "truncation N=2/*", "--jobs", "2"]
    assert main([*shlex.split(first)[1:], *cells]) == 0
    for command in COMMANDS:
        if re.match(r"sensebench (table|plot|report) quick", command):
            assert sensebench(command) == 0
    assert (folder / "results/quick/report.html").is_file()
    assert list((folder / "results/quick/figures").glob("*.png"))


def test_the_added_solver_gets_its_rows(folder):
    command = next(c for c in COMMANDS if "--solver-file" in c)
    command = command.replace("always-blind/*", "always-blind/two-state*")
    assert sensebench(command) == 0
    found = Store(folder / "results", "quick").read()
    assert {r.solver for r in found} == {"always-blind"}
    assert {r.status for r in found} == {"ok"}


def test_doctor_answers(capsys):
    code = main(["julia", "doctor"])
    assert code in (0, 1) and "Traceback" not in capsys.readouterr().out


@pytest.mark.julia
def test_the_julia_snippet_runs(folder):
    env, finding = environment.check()
    if finding is not None:
        pytest.skip(finding.what)
    if "NativeSARSOP" not in (Path(env.project) / "Project.toml").read_text():
        pytest.skip(f"{env.project} has no NativeSARSOP of its own, which the snippet asks for")
    assert main(["export", "two-state", "-k", "0.25", "--format", "npz", "-o", "taxi.npz"]) == 0
    code = next(c for lang, c in SNIPPETS if lang == "julia").replace("60.0", "1.0")
    julia = [str(env.executable), f"--project={env.project}", "-e", code]
    done = subprocess.run(julia, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(((?!http)[^)#]+)\)", README))))
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()


def test_the_short_table_is_that_of_the_results():
    block = README.split("<!-- short table: begin -->")[1].split("<!-- short table: end -->")[0]
    assert block.strip() == short_table(ROOT / "results" / "reference").strip()
