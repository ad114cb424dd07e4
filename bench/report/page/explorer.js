// Stepping through policies: which ones, from where, and how far; one panel or two.

import { cellOf, explorable, policies, problemOf, suite } from "./data.js";
import { byId, el, icon, picker } from "./dom.js";
import { percent } from "./format.js";
import { drawPanel, makeWalk } from "./panel.js";
import { answerLink, setRoute } from "./routing.js";

const BEAT = 900;
const state = { keys: [], start: 0, step: 0, seen: [[], []] };
let playing = null;

/** The states a walk may start from: those with a plan, the start states first. */
function startsOf(key) {
  const policy = policies().policies[key];
  const model = policies().problems[cellOf[key].problem];
  const stored = policy.walks ?? policy.plans;
  const first = model.start.filter(([s]) => s in stored);
  const others = Object.keys(stored).map(Number)
    .filter((s) => !model.terminal.includes(s) && !first.some(([t]) => t === s));
  return [first, others];
}

function startPicker(key) {
  const model = policies().problems[cellOf[key].problem];
  const [first, others] = startsOf(key);
  const option = (s, text) => el("option", { value: s }, text);
  const select = el("select", { id: "pick-start" });
  const share = (p) => (first.length > 1 ? ` (${percent(p)})` : "");
  const few = first.length < model.start.length;
  const label = few ? `The ${first.length} likeliest start states` : "Start states";
  select.append(el("optgroup", { label }, ...first.map(([s, p]) => option(s, model.states[s] + share(p)))));
  if (others.length) {
    select.append(el("optgroup", { label: "Other states" }, ...others.map((s) => option(s, model.states[s]))));
  }
  select.value = String(state.start);
  select.addEventListener("change", () => change({ start: Number(select.value), step: 0, seen: [[], []] }));
  return el("label", { class: "picker" }, el("span", {}, "Start state"), select);
}

/** Keep the solvers chosen when problem or k changes, where they have a policy there too. */
function choose(problem, k) {
  const there = explorable(problem, k);
  const like = (key) => there.find((c) => c.solver === cellOf[key]?.solver)?.key;
  const first = like(state.keys[0]) ?? there[0].key;
  const second = state.keys[1] && like(state.keys[1]);
  const same = cellOf[state.keys[0]]?.problem === problem && startsHold(first, state.start);
  change({
    keys: second ? [first, second] : [first], seen: [[], []], step: 0,
    start: same ? state.start : startsOf(first).flat()[0]?.[0] ?? 0,
  });
}

const startsHold = (key, start) => {
  const [first, others] = startsOf(key);
  return others.includes(start) || first.some(([s]) => s === start);
};

function pickers() {
  const cell = cellOf[state.keys[0]];
  const problems = suite.problems.filter((p) => explorable(p.id).length).map((p) => [p.id, p.title]);
  const costs = [...new Set(explorable(cell.problem).map((c) => c.k))].map((k) => [String(k), String(k)]);
  const solvers = explorable(cell.problem, cell.k).map((c) => [c.key, c.method]);
  const costOf = (text) => explorable(cell.problem).find((c) => String(c.k) === text).k;
  const firstCost = (id) => explorable(id)[0].k;
  return el("div", { class: "pickers" },
    picker("pick-problem", "Problem", problems, cell.problem, (id) => choose(id, firstCost(id))),
    picker("pick-k", "Sensing cost k", costs, String(cell.k), (text) => choose(cell.problem, costOf(text))),
    picker("pick-solver", "Solver", solvers, cell.key,
      (key) => change({ keys: [key, ...state.keys.slice(1)], seen: [[], state.seen[1]] })),
    picker("pick-beside", "Beside it", [["", "nothing"], ...solvers], state.keys[1] ?? "",
      (key) => change({ keys: key ? [state.keys[0], key] : [state.keys[0]], seen: [state.seen[0], []] })),
    startPicker(cell.key));
}

function transport(goesOn) {
  const button = (id, label, name, onclick, disabled) =>
    el("button", { type: "button", id, "aria-label": label, title: label, onclick, disabled }, icon(name));
  return el("div", { class: "transport", role: "group", "aria-label": "Steps" },
    button("to-start", "To the start", "first", () => go(0), state.step === 0),
    button("previous", "Previous step", "previous", () => go(state.step - 1), state.step === 0),
    button("play", playing ? "Pause" : "Play", playing ? "pause" : "play", toggle, !goesOn && !playing),
    button("next", "Next step", "next", () => go(state.step + 1), !goesOn),
    el("output", { id: "step", "aria-live": "polite" }, `step ${state.step}`));
}

function remember() {
  setRoute({
    policy: state.keys.join(","), start: String(state.start), step: String(state.step),
    seen: state.seen[0].join("."), seen2: state.seen[1].join("."),
  }, true);
}

function see(i, look, s) {
  const before = Array.from({ length: look }, (_, j) => state.seen[i][j] ?? "");
  state.seen[i] = [...before, s]; // what was seen later depends on it, so it is forgotten
  change({});
}

function redraw() {
  const body = byId("explorer-body");
  const focused = body.contains(document.activeElement) ? document.activeElement.id : null;
  const drawn = state.keys.map((key, i) => drawPanel(
    i, key, makeWalk(key, state.start, state.seen[i]), state.step, state.seen[i],
    { onstep: go, onsee: (look, s) => see(i, look, s) },
  ));
  const goesOn = drawn.some((one) => one.goesOn);
  state.step = Math.min(state.step, Math.max(...drawn.map((one) => Number(one.panel.dataset.step))));
  const stage = el("div", { class: drawn.length > 1 ? "panels two" : "panels" });
  stage.append(...drawn.map((one) => one.panel));
  body.replaceChildren(pickers(), transport(goesOn), stage);
  for (const now of body.querySelectorAll("[aria-current]")) {
    const strip = now.closest(".strip"); // keep the current step in sight without moving the page
    strip.scrollLeft = now.offsetLeft - strip.clientWidth / 2;
  }
  if (focused !== null) {
    const again = byId(focused);
    (again && !again.disabled ? again : byId("explorer")).focus({ preventScroll: true });
  }
  if (!goesOn) stop();
}

function change(what) {
  Object.assign(state, what);
  remember();
  redraw();
}

function go(step) {
  change({ step: Math.max(0, step) });
}

function stop() {
  if (playing === null) return;
  clearInterval(playing);
  playing = null;
  redraw();
}

function toggle() {
  if (playing !== null) return stop();
  playing = setInterval(() => go(state.step + 1), BEAT);
  redraw();
}

function keyed(event) {
  if (event.target.closest?.("select, input, dialog") || event.altKey || event.ctrlKey || event.metaKey) return;
  const forward = byId("next") && !byId("next").disabled;
  if (event.key === "ArrowRight" && forward) go(state.step + 1);
  else if (event.key === "ArrowLeft" && state.step > 0) go(state.step - 1);
  else if (event.key === "Home") go(0);
  else if (event.key === " " && !event.target.closest?.("button, a")) toggle();
  else return;
  event.preventDefault();
}

/** The same keys wherever the focus is, while the explorer is on the screen; a table has its own. */
function keyedAnywhere(event) {
  const at = event.target instanceof Element ? event.target : document.body;
  if (at.closest("#table")) return;
  const { top, bottom } = byId("explorer").getBoundingClientRect();
  const onScreen = top < 0.7 * innerHeight && bottom > 0.3 * innerHeight;
  if (onScreen || at.closest("#explorer")) keyed(event);
}

/** Follow a deep link: keys "A" or "A,B", start, step, and the states seen, joined by points. */
export function showPolicy(text, parameters) {
  if (text === undefined) return;
  const asked = text.split(",").slice(0, 2);
  const keys = asked.filter((key) => cellOf[key]?.explorable);
  const missing = asked.filter((key) => !keys.includes(key)).map((key) => `policy ${key}`);
  if (!keys.length) {
    answerLink(missing.join(" and no "));
    return;
  }
  const numbers = (list) => (list ? list.split(".").map((n) => (n === "" ? "" : Number(n))) : []);
  const start = Number(parameters.start ?? NaN);
  const held = startsHold(keys[0], start);
  if (!held && parameters.start !== undefined) missing.push(`plan from state ${parameters.start}`);
  if (missing.length) answerLink(missing.join(" and no "));
  Object.assign(state, {
    keys,
    start: held ? start : startsOf(keys[0])[0][0]?.[0] ?? startsOf(keys[0])[1][0],
    step: Math.max(0, Number.parseInt(parameters.step ?? "0", 10) || 0),
    seen: [numbers(parameters.seen), numbers(parameters.seen2)],
  });
  redraw();
  byId("explorer").scrollIntoView({ behavior: "instant" });
  byId("explorer").focus({ preventScroll: true });
}

export function startExplorer() {
  const first = explorable();
  if (!first.length) {
    byId("explorer-body").append(el("p", { class: "muted" }, "No run of this suite left a policy that can be followed."));
    return;
  }
  const liked = first.find((c) => problemOf[c.problem].grid && c.best) ?? first[0];
  Object.assign(state, { keys: [liked.key], start: startsOf(liked.key)[0][0]?.[0] ?? 0 });
  redraw();
  addEventListener("keydown", keyedAnywhere);
}
