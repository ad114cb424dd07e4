// Narrowing the comparison by problem, sensing cost and solver. Nothing chosen means everything.

import { suite } from "./data.js";
import { byId, el } from "./dom.js";

const KINDS = [
  ["problem", "Problem"],
  ["k", "Sensing cost k"],
  ["solver", "Solver"],
];
const chosen = { problem: new Set(), k: new Set(), solver: new Set() };

/** Whether a cell passes the filters. */
export function passes(cell) {
  return KINDS.every(([kind]) => !chosen[kind].size || chosen[kind].has(String(cell[kind])));
}

function valuesOf(kind) {
  if (kind === "problem") return suite.problems.map((p) => [p.id, p.title]);
  if (kind === "solver") return suite.solvers.map((s) => [s, s]);
  const all = [...new Set(suite.cells.map((c) => c.k))];
  all.sort((a, b) => Number(a) - Number(b));
  return all.map((k) => [String(k), String(k)]);
}

function chip(kind, value, text, onchange) {
  const button = el("button", { type: "button", class: "chip", "aria-pressed": "false" }, text);
  button.dataset.filter = kind;
  button.dataset.value = value;
  button.addEventListener("click", () => {
    const on = !chosen[kind].has(value);
    if (on) chosen[kind].add(value);
    else chosen[kind].delete(value);
    button.setAttribute("aria-pressed", String(on));
    byId("clear-filters").hidden = Object.values(chosen).every((set) => !set.size);
    onchange();
  });
  return button;
}

export function startFilters(onchange) {
  const groups = KINDS.map(([kind, label]) => {
    const chips = valuesOf(kind).map(([value, text]) => chip(kind, value, text, onchange));
    const title = el("span", { class: "chips-title", id: `filter-${kind}` }, label);
    const names = { role: "group", "aria-labelledby": `filter-${kind}`, class: "chips" };
    return el("div", names, title, el("div", { class: "chip-row" }, ...chips));
  });
  const clear = el("button", { type: "button", class: "quiet", id: "clear-filters" }, "Show all");
  const box = el("details", { class: "filters" }, el("summary", {}, "Filter"), ...groups);
  box.open = matchMedia("(min-width: 720px)").matches;
  clear.addEventListener("click", () => {
    for (const set of Object.values(chosen)) set.clear();
    for (const pressed of box.querySelectorAll(".chip")) pressed.setAttribute("aria-pressed", "false");
    clear.hidden = true;
    onchange();
  });
  clear.hidden = true;
  byId("filters").append(box);
  byId("count").after(clear);
}
