// The comparison: one row per problem and sensing cost, one column per solver. A heading sorts by
// its column; arrow keys move between cells, Enter opens one.

import { problemOf, suite } from "./data.js";
import { byId, el, picker, withCode } from "./dom.js";
import { passes } from "./filters.js";
import { duration, fixed, gapWidth } from "./format.js";
import { setRoute } from "./routing.js";

const MEASURES = { value: "value", gap: "proven gap", time: "time" };
const order = { column: null, descending: false, measure: "value" };

function rowsShown() {
  const rows = new Map();
  for (const cell of suite.cells.filter(passes)) {
    const id = JSON.stringify([cell.problem, cell.k]);
    if (!rows.has(id)) rows.set(id, { problem: problemOf[cell.problem], k: cell.k, cells: {} });
    (rows.get(id).cells[cell.solver] ??= []).push(cell);
  }
  return [...rows.values()];
}

function sortKey(row) {
  if (order.column === "problem") return row.problem.title;
  if (order.column === "k") return Number.isFinite(Number(row.k)) ? Number(row.k) : Infinity;
  const cell = row.cells[order.column]?.[0];
  const measured = cell?.[order.measure === "time" ? "seconds" : order.measure];
  return measured ?? null;
}

function sorted(rows) {
  if (order.column === null) return rows;
  const sign = order.descending ? -1 : 1;
  return rows
    .map((row, i) => [sortKey(row), i, row])
    .sort(([a, i], [b, j]) => {
      if (a === null || b === null) return (a === null) - (b === null) || i - j; // blanks last
      const less = typeof a === "string" ? a.localeCompare(b) : a - b;
      return sign * less || i - j;
    })
    .map(([, , row]) => row);
}

function sortBy(column) {
  if (order.column !== column) Object.assign(order, { column, descending: false });
  else if (!order.descending) order.descending = true;
  else Object.assign(order, { column: null, descending: false });
  drawTable();
  byId("table").querySelector(`th button[data-column="${CSS.escape(column)}"]`)?.focus();
}

function heading(column, text, className) {
  const active = order.column === column;
  const direction = active ? (order.descending ? "descending" : "ascending") : "none";
  const by = column === "problem" || column === "k" ? "" : ` by ${MEASURES[order.measure]}`;
  // A solver's name may break after its hyphens, so that narrow columns stay narrow.
  const words = text.split(/(?<=-)/).flatMap((part) => [part, el("wbr")]);
  const button = el("button", { type: "button", title: `Sort${by}` }, ...words);
  button.dataset.column = column;
  button.addEventListener("click", () => sortBy(column));
  const mark = el("span", { class: "sort-mark", "aria-hidden": "true" });
  mark.textContent = active ? (order.descending ? " ↓" : " ↑") : "";
  button.append(mark);
  return el("th", { scope: "col", class: className, "aria-sort": direction }, button);
}

/** What a run that only proves a bound has to say: no reward above, no cost below. */
function boundText(cell, problem) {
  const bound = cell.bounds[problem.rewards ? 1 : 0];
  return bound === null ? null : `${problem.rewards ? "≤" : "≥"} ${fixed(bound, problem.digits)}`;
}

function spoken(cell, problem) {
  const parts = [`${cell.method} on ${problem.title}, k = ${cell.k}:`];
  if (cell.value === null) parts.push(cell.reason || `bound ${boundText(cell, problem)}`);
  else parts.push(`${fixed(cell.value, problem.digits)}${cell.best ? ", best in its row" : ""}`);
  if (cell.published) parts.push(`paper ${cell.published}`);
  if (cell.gap !== null) parts.push(`proven gap ${cell.gapText}`);
  else if (cell.value !== null) parts.push(cell.gapText);
  if (cell.seconds !== null) parts.push(duration(cell.seconds));
  return parts.join("; ");
}

function gapBar(cell) {
  const closed = cell.gapText === "optimal";
  const bar = el("span", { class: closed ? "gap-bar closed" : "gap-bar" }, el("span"));
  bar.firstChild.style.width = closed ? "0" : `${100 * gapWidth(cell.gap)}%`;
  return bar;
}

function meta(...parts) {
  return el("span", { class: "meta" }, parts.filter(Boolean).join(" · "));
}

function cellButton(cell, problem) {
  const open = () => setRouteTo(cell);
  const button = el("button", { type: "button", class: "cell", onclick: open, tabindex: "-1" });
  button.dataset.key = cell.key;
  button.dataset.solver = cell.solver; // what the phone layout writes beside it
  button.setAttribute("aria-label", spoken(cell, problem));
  const bound = boundText(cell, problem);
  if (cell.status !== "ok" || (cell.value === null && bound === null)) {
    button.classList.add("failed");
    button.append(el("span", { class: "reason" }, ...withCode(cell.reason || "no value and no bound")));
    return button;
  }
  if (cell.value === null) {
    button.classList.add("bound-only");
    button.append(el("span", { class: "value" }, bound), meta("bound only", duration(cell.seconds)));
    return button;
  }
  if (cell.best) button.classList.add("best");
  const value = el("span", { class: "value" }, fixed(cell.value, problem.digits));
  if (cell.standardError) {
    value.append(el("span", { class: "error" }, ` ±${fixed(cell.standardError, problem.digits)}`));
  }
  button.append(value);
  if (cell.gap !== null) button.append(gapBar(cell));
  button.append(meta(cell.gapText, duration(cell.seconds)));
  if (cell.published) button.append(el("span", { class: "paper" }, `paper ${cell.published}`));
  return button;
}

let openCell = () => {};
function setRouteTo(cell) {
  setRoute({ cell: cell.key });
  openCell(cell.key);
}

function moveFocus(event) {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const here = event.target.closest("td");
  if (!here || !(event.key in steps)) return;
  event.preventDefault();
  const [down, right] = steps[event.key];
  const rows = [...byId("table").querySelectorAll("tbody tr")];
  let row = rows.indexOf(here.parentElement);
  let at = [...here.parentElement.children].indexOf(here);
  for (;;) {
    row += down;
    at += right;
    const there = rows[row]?.children[at];
    if (!there || there.tagName !== "TD") return;
    const button = there.querySelector("button");
    if (!button) continue; // an empty place: go on in the same direction
    event.target.tabIndex = -1;
    button.tabIndex = 0;
    button.focus();
    return;
  }
}

/** Sorting without headings, which a phone has no room for. */
function columnPicker() {
  const columns = [["", "order of the paper"], ["problem", "problem"], ["k", "k"]];
  for (const solver of suite.solvers) columns.push([solver, solver]);
  const sort = (column) => {
    Object.assign(order, { column: column || null, descending: false });
    drawTable();
  };
  const label = picker("sort-rows", "Sort rows by", columns, "", sort);
  label.classList.add("inline", "narrow-only");
  return label;
}

function measurePicker() {
  const label = picker("measure", "Solvers sort by", Object.entries(MEASURES), order.measure, (measure) => {
    order.measure = measure;
    drawTable();
  });
  label.classList.add("inline");
  return label;
}

const wasRun = new Set(suite.cells.map((c) => JSON.stringify([c.problem, c.k, c.solver])));

function line(row, columns, same) {
  const repeat = same ? " repeat" : "";
  const drawn = el("tr", {},
    el("th", { scope: "row", class: "problem" },
      el("span", { class: `title${repeat}` }, row.problem.title),
      el("span", { class: `unit${repeat}` }, row.problem.unit)),
    el("th", { scope: "row", class: "k" }, String(row.k)));
  for (const solver of columns) {
    const buttons = (row.cells[solver] ?? []).map((cell) => cellButton(cell, row.problem));
    const place = el("td", {}, ...buttons);
    if (!wasRun.has(JSON.stringify([row.problem.id, row.k, solver]))) {
      place.append(el("span", { class: "not-run" }, "not run"));
    }
    place.dataset.solver = solver;
    drawn.append(place);
  }
  return drawn;
}

export function drawTable() {
  const rows = sorted(rowsShown());
  const columns = suite.solvers.filter((s) => rows.some((row) => row.cells[s]));
  const head = [heading("problem", "Problem", "problem"), heading("k", "k", "k")];
  for (const solver of columns) head.push(heading(solver, solver, "solver"));
  const table = el("table", { "aria-label": "Comparison of solvers", onkeydown: moveFocus });
  table.append(el("thead", {}, el("tr", {}, ...head)));
  rows.forEach((row, i) => {
    const same = rows[i - 1]?.problem === row.problem;
    if (!same) table.append(el("tbody")); // neighbours of one problem stay together on paper
    table.lastElementChild.append(line(row, columns, same));
  });
  const first = table.querySelector("button.cell");
  if (first) first.tabIndex = 0;
  byId("table").replaceChildren(table);
  tellOfScrolling();
  const shown = rows.reduce((n, row) => n + Object.values(row.cells).flat().length, 0);
  byId("count").textContent = `${shown} of ${suite.cells.length} runs shown`;
}

/** A word above the table where it is wider than its frame; its edge fades while there is more. */
function tellOfScrolling() {
  const frame = byId("table");
  byId("scroll-hint").hidden = frame.scrollWidth <= frame.clientWidth + 1;
  frame.classList.toggle("goes-on", frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 1);
  keepHeadings();
}

/** Move the headings down as the page scrolls: a frame that scrolls sideways has no sticky ones. */
function keepHeadings() {
  const frame = byId("table");
  const { top, height } = frame.getBoundingClientRect();
  const { rows } = frame.querySelector("table");
  const most = height - rows[0].offsetHeight - rows[rows.length - 1].offsetHeight;
  frame.style.setProperty("--head-down", `${Math.max(0, Math.min(-top, most))}px`);
}

export function startTable(onopen) {
  openCell = onopen;
  addEventListener("resize", tellOfScrolling);
  addEventListener("scroll", keepHeadings, { passive: true });
  byId("table").addEventListener("scroll", tellOfScrolling, { passive: true });
  byId("sorting").append(columnPicker(), measurePicker());
  byId("legend").append(
    el("strong", {}, "Bold"), " is the best of its row. ", el("em", {}, "paper"),
    " is the published value. The bar is the proven distance from optimal (log scale, 0.01 % to ",
    "100 %); ", el("strong", { class: "closed" }, "optimal"),
    " means the bounds meet. Choose a cell to see its run.",
  );
  drawTable();
}
