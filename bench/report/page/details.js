// One run in full: what it found, what is proven, where the time went, and why it failed if it did.

import { boundsChart } from "./chart.js";
import { cellOf, hasPolicy, policies, problemOf, readPlan, suite } from "./data.js";
import { byId, definitions, el } from "./dom.js";
import { duration, fixed, pairs, percent, planWords } from "./format.js";
import { answerLink, setRoute } from "./routing.js";

const PLANS_SHOWN = 8;
const TIMES = [
  ["start", "start-up"], ["compile", "compile"], ["export", "export"],
  ["solve", "solve"], ["evaluate", "evaluate"],
];

function outcome(cell, problem) {
  const shown = (v) => (v === null ? null : fixed(v, Math.max(problem.digits, 4)));
  const error = cell.standardError ? ` ± ${shown(cell.standardError)} (simulated)` : "";
  const remark = { better: " (ours is better)", worse: " (ours is worse)" }[cell.flag] ?? "";
  return definitions([
    ["Value", cell.value === null ? null : shown(cell.value) + error],
    ["Published", cell.published && cell.published + remark],
    ["Proven gap", cell.value === null ? null : cell.gapText],
    ["Best proven bound", shown(cell.bestBound)],
    ["Bounds this run proves", boundWords(cell, shown)],
    ["Share of steps that look", percent(cell.sensingRate)],
    ["Iterations", cell.iterations],
    ["Ended", cell.solverStatus],
  ]);
}

function timing(cell) {
  const parts = TIMES.filter(([name]) => cell.times[name] > 0);
  const total = parts.reduce((sum, [name]) => sum + cell.times[name], 0);
  if (!total) return null;
  const bar = el("div", { class: "time-bar", "aria-hidden": "true" });
  const key = el("ul", { class: "time-key" });
  for (const [name, words] of parts) {
    const piece = el("span", { class: `t-${name}` });
    piece.style.flexGrow = cell.times[name] / total;
    bar.append(piece);
    key.append(el("li", { class: `t-${name}` }, `${words} ${duration(cell.times[name])}`));
  }
  return part("Time", bar, key);
}

function plans(cell) {
  if (!hasPolicy(cell)) return null;
  const model = policies().problems[cell.problem];
  const policy = policies().policies[cell.key];
  const starts = model.start.map(([s]) => s).filter((s) => s in policy.plans);
  const list = definitions(
    starts.slice(0, PLANS_SHOWN).map((s) => [
      model.states[s],
      planWords(readPlan(policies().plans[policy.plans[s]]), model.actions),
    ]),
    "plans",
  );
  const more = starts.length - PLANS_SHOWN;
  const go = el("a", { class: "button", href: `#policy=${cell.key}&step=0` }, "Step through this policy");
  go.addEventListener("click", () => byId("cell").close("explore"));
  const rest = more > 0 ? el("p", { class: "muted" }, `and ${more} more start states`) : null;
  return part("Plans", list, rest, go);
}

function part(title, ...children) {
  return el("section", { class: "part" }, el("h3", {}, title), ...children);
}

/** "0.29 to 0.31", or the one side that is proven; a verified claim says so. */
function boundWords(cell, shown) {
  const [low, high] = cell.bounds.map((b) => (b === null ? null : shown(b)));
  if (low === null && high === null) return null;
  const range = low === null ? `at most ${high}` : high === null ? `at least ${low}` : `${low} to ${high}`;
  const word = { verified: ", verified by the independent checker", claimed: ", not verified" };
  return range + (word[cell.verified] ?? "");
}

function bounds(cell, problem) {
  if (cell.trace.length < 2) return null;
  const chart = boundsChart(cell.trace, cell.value, problem.unit);
  const key = el("p", { class: "muted" }, `Bounds on the optimum over time, ${problem.unit}; `
    + "the dashed line is the value of this run's policy.");
  return part("Bounds over time", chart, key);
}

function record(cell) {
  const environment = suite.environments[cell.clone] ?? {};
  return el("details", { class: "part" },
    el("summary", {}, "Environment and provenance"),
    definitions([
      ...pairs(environment),
      ...pairs(cell.versions),
      ["peak memory", cell.memory === null ? null : `${Math.round(cell.memory)} MB`],
      ["threads", cell.threads],
      ["code", cell.code],
      ["clone", cell.clone],
      ["finished", cell.finished],
      ["key", cell.key],
    ], "facts small"));
}

function draw(cell) {
  const problem = problemOf[cell.problem];
  const close = el("button", { type: "button", class: "quiet close" }, "Close");
  close.addEventListener("click", () => byId("cell").close());
  const status = cell.status === "ok" ? "" : `${cell.status}: ${cell.reason || "no reason recorded"}`;
  byId("cell").replaceChildren(
    el("header", {},
      el("div", {},
        el("p", { class: "kicker" }, `${problem.title}, k = ${cell.k}, ${problem.unit}`),
        el("h2", { id: "cell-title" }, cell.method)),
      close),
    ...[
      status && el("p", { class: "notice", role: "alert" }, status),
      cell.note && el("p", { class: "notice mild" }, cell.note),
      outcome(cell, problem),
      bounds(cell, problem),
      plans(cell),
      timing(cell),
      part("Options", definitions([
        ["solver", cell.solverId],
        ...pairs(cell.options),
        ["seed", cell.seed],
        ["budget", cell.budget === null ? null : `${cell.budget} s`],
        ["start belief", cell.startBelief],
      ])),
      Object.keys(cell.info).length ? part("Recorded by the solver", definitions(pairs(cell.info))) : null,
      record(cell),
    ].filter(Boolean),
  );
}

/** Open a run by key, or close the dialog where there is none. */
export function showCell(key) {
  const dialog = byId("cell");
  if (!(key in cellOf)) {
    if (dialog.open) dialog.close("routed");
    answerLink(key === undefined ? null : `run ${key}`);
    return;
  }
  answerLink(null);
  draw(cellOf[key]);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

export function startDetails() {
  const dialog = byId("cell");
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // the backdrop
  });
  dialog.addEventListener("close", () => {
    if (!dialog.returnValue && location.hash.startsWith("#cell=")) setRoute({}, true);
    dialog.returnValue = "";
  });
}
