"""The certificates of a suite by depth N, like the paper's Table 3: for each root the optimal value
of the truncated problem M_{k,N} and its plan, with what the theorems say at that depth."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bench.analysis.frame import problem_facts
from bench.analysis.labels import cost_title, number
from bench.analysis.results import Results
from bench.store.costs import from_text
from bench.tables.formats import Block, Entry
from solvers.core.policy import Plan

MOST_ROOTS = 4
"""A problem with more roots has no column for each."""
MOST_LETTERS = 10


def certificates(results: Results, of: pd.DataFrame) -> list[dict[str, Any]]:
    """Details of the truncation rows that carry a certificate, with their depth N, by N."""
    found = []
    for row in of[(of["solver"] == "truncation") & (of["failure"] == "")].itertuples():
        cell = results.details(row.key)
        if "epsilon" in cell.get("info", {}) and "depth" in row.options:
            found.append({**cell, "N": int(row.options["depth"])})
    return sorted(found, key=lambda cell: cell["N"])


def certificate_blocks(results: Results) -> list[Block]:
    """One block per instance that has certificates at two depths or more."""
    blocks = []
    for (problem, cost), of in results.frame.groupby(["problem", "sensing_cost"], sort=False):
        cells = certificates(results, of)
        if len(cells) < 2 or len(cells[0]["values"]) > MOST_ROOTS:
            continue
        facts = problem_facts(problem)
        if facts.build is None:
            continue
        model = facts.build(from_text(cost))
        roots = range(model.num_states)
        header = (
            "N",
            *(f"V({j})" for j in roots),
            *(f"plan {j}" for j in roots),
            *("ε_N", "Thm 4.2", "Lemma 4.3", "Thm 4.4"),
        )
        letters = [str(name)[-1] for name in model.action_names]
        lines = [(str(cell["N"]), _entries(cell, letters, facts.digits)) for cell in cells]
        title = f"Certificates of {facts.title}, k = {cost_title(of['k'].iloc[0])}"
        unit = "cost from each root by depth N, and the roots at which each result holds"
        plans = frozenset(range(len(roots), 2 * len(roots)))
        blocks.append(Block(title, unit, header, lines, words=plans))
    return blocks


def _entries(cell: dict[str, Any], letters: list[str], digits: int) -> list[Entry]:
    info, values = cell["info"], cell["values"]
    plans = [cell["plans"].get(str(j)) for j in range(len(values))]
    return [
        *(Entry(number(v, digits)) for v in values),
        *(Entry(_letters(plan, letters)) for plan in plans),
        Entry(_small(info["epsilon"])),
        Entry(_small(info["depth_bound"])),
        Entry(_which(info["one_step"])),
        Entry(_which(info["settled"])),
    ]


def _letters(plan: dict[str, Any] | None, letters: list[str]) -> str:
    """A plan as the paper writes it: ``BRRRR``; ``BRRRRRRR… (12)`` where it is long."""
    if plan is None:
        return ""
    plan = Plan(tuple(plan["actions"]), plan["senses"])
    word = "".join(letters[a] for a in plan.actions)
    if len(word) > MOST_LETTERS:
        word = word[: MOST_LETTERS - 2] + f"… ({len(word)})"
    return word if plan.senses else word + " blind"


def _small(x: float) -> str:
    return "0" if abs(x) < 1e-12 else f"{x:.1e}" if abs(x) < 1e-3 else f"{x:.4f}"


def _which(holds: Any) -> str:
    """Roots at which a criterion holds, in words."""
    flags = list(holds) if isinstance(holds, list) else [holds]
    if all(flags):
        return "all"
    kept = [str(j) for j, flag in enumerate(flags) if flag]
    return ",".join(kept) if kept else "none"
