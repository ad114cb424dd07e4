// Who wins where, before the table: a sentence, and a bar per solver, as long as it has best values.

import { problemOf, suite } from "./data.js";
import { byId, el } from "./dom.js";

const MOST = 8;
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c", "#b8a100"];
const SHADES = ["#0072b2", "#8f4e8b"];
/** More problems than colours that the eye tells apart: their pieces are numbered instead. */
const numbered = suite.problems.length > COLOURS.length;

/** Paint a piece of a bar, or its swatch in the key, as the problem's. */
function paint(element, problem) {
  const at = suite.problems.findIndex((p) => p.id === problem);
  element.style.background = numbered ? SHADES[at % SHADES.length] : COLOURS[at];
  if (numbered) element.append(String(at + 1));
}

const instanceOf = (cell) => JSON.stringify([cell.problem, cell.k]);

/** The instances on which two methods or more came to a value: only there can one win. */
function contested() {
  const solvers = new Map();
  for (const cell of suite.cells.filter((c) => c.value !== null)) {
    if (!solvers.has(instanceOf(cell))) solvers.set(instanceOf(cell), new Set());
    solvers.get(instanceOf(cell)).add(cell.solver);
  }
  return new Set([...solvers].filter(([, own]) => own.size > 1).map(([instance]) => instance));
}

/** For each solver: on how many of these instances of each problem its value is the best one. */
function wins(instances) {
  const found = new Map();
  for (const cell of suite.cells) {
    if (!cell.best || !instances.has(instanceOf(cell))) continue;
    if (!found.has(cell.solver)) found.set(cell.solver, new Map());
    const own = found.get(cell.solver);
    if (!own.has(cell.problem)) own.set(cell.problem, new Set());
    own.get(cell.problem).add(cell.k);
  }
  return [...found]
    .map(([solver, own]) => ({
      solver,
      byProblem: [...own].map(([problem, costs]) => [problem, costs.size]),
      total: [...own.values()].reduce((n, costs) => n + costs.size, 0),
    }))
    .sort((a, b) => b.total - a.total);
}

/** The next methods in order, those of equal numbers together, at most `count` numbers. */
function nextBest(found, count) {
  const named = [];
  for (const { total } of found) {
    if (named.length >= count) break;
    if (named.some((group) => group.total === total)) continue;
    named.push({ total, solvers: found.filter((one) => one.total === total).map((one) => one.solver) });
  }
  return named.map(({ total, solvers }) => `${listed(solvers)} on ${total}${solvers.length > 1 ? " each" : ""}`);
}

const listed = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

function sentence(found, instances, alone) {
  const close = new Set(
    suite.cells.filter((c) => c.best && c.gap !== null && c.gap <= 0.01).map(instanceOf),
  );
  const first = found[0];
  const leaders = found.filter((one) => one.total === first.total).map((one) => one.solver);
  const only = leaders.length === 1 ? "has" : "each have";
  const rest = nextBest(found.slice(leaders.length), 2);
  const others = rest.length ? `; ${rest.join("; ")}` : "";
  const where = instances === 1
    ? `On the one instance with several methods, ${listed(leaders)} ${only} the best value`
    : `Of ${instances} instances, ${listed(leaders)} ${only} the best value on ${first.total}${others}`;
  const ties = " Values that print the same digits are equally good, and each counts.";
  const more = alone ? ` On ${alone} more only one method was run.` : "";
  const all = instances + alone;
  return `${where}.${ties}${more} ${close.size} of the ${all} best values `
    + `${close.size === 1 ? "is" : "are"} proven to lie within 1 % of optimal.`;
}

/** A line per solver: its name, a bar with a piece per problem, its number of best values. */
function chart(found, instances) {
  const problems = suite.problems.map((p) => p.id);
  const rows = found.slice(0, MOST);
  const label = rows.map((one) => `${one.solver}: best on ${one.total} of ${instances}`).join("; ");
  const kind = numbered ? "wins numbered" : "wins";
  const drawn = el("div", { class: kind, role: "img", "aria-label": label });
  for (const one of rows) {
    const bar = el("span", { class: "wins-bar" });
    for (const problem of problems) {
      const n = one.byProblem.find(([p]) => p === problem)?.[1] ?? 0;
      if (!n) continue;
      const title = `${one.solver}: best on ${n} of ${problemOf[problem].title}`;
      const piece = el("span", { class: "wins-piece", title });
      piece.style.width = `${(100 * n) / instances}%`;
      paint(piece, problem);
      bar.append(piece);
    }
    bar.append(el("span", { class: "wins-count" }, String(one.total)));
    drawn.append(el("span", { class: "wins-name" }, one.solver), bar);
  }
  return drawn;
}

function key(found) {
  const shown = new Set(found.flatMap((one) => one.byProblem.map(([problem]) => problem)));
  const list = el("ul", { class: numbered ? "wins-key numbered" : "wins-key" });
  for (const problem of suite.problems.filter((p) => shown.has(p.id))) {
    const swatch = el("span", { class: "swatch" });
    paint(swatch, problem.id);
    list.append(el("li", {}, swatch, problem.title));
  }
  return list;
}

export function startSummary() {
  const several = contested();
  const valued = new Set(suite.cells.filter((c) => c.value !== null).map(instanceOf));
  const found = wins(several);
  const place = byId("summary");
  if (!found.length) {
    const words = valued.size ? "No two methods were run on the same instance yet."
      : "No run of this suite came to a value yet.";
    place.append(el("p", {}, words));
    return;
  }
  const said = sentence(found, several.size, valued.size - several.size);
  place.append(el("p", { class: "verdict" }, said), chart(found, several.size));
  const unseen = nextBest(found.slice(MOST), Infinity);
  if (unseen.length) place.append(el("p", { class: "wins-more" }, `Also best: ${unseen.join("; ")}.`));
  place.append(key(found));
}
