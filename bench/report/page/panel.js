// One policy in the explorer: what it does at this step, what that has cost, where it may be.

import { actionMark, beliefPicture } from "./belief.js";
import { cellOf, policies, problemOf, readPlan } from "./data.js";
import { definitions, el, eye } from "./dom.js";
import { fixed, percent } from "./format.js";
import { ModelWalk, StoredWalk } from "./walk.js";

const STRIP = 80;

/** The walk of a cell's policy from a root; seen: the states chosen at its looks. */
export function makeWalk(key, root, seen) {
  const { problems, plans, policies: all, walks } = policies();
  const cell = cellOf[key];
  const policy = all[key];
  const model = problems[cell.problem];
  const planOf = (s) => (s in policy.plans ? readPlan(plans[policy.plans[s]]) : null);
  if (model.transitions) return new ModelWalk(model, policy, planOf, root, seen);
  return new StoredWalk(model, planOf(root), walks[policy.walks[root]], root);
}

/** Costs as the table prints the problem's values: a reward is a cost with the sign turned. */
function money(cost, problem) {
  return fixed((problem.rewards ? -cost : cost) * problem.scale, problem.digits + 1);
}

/** What the look shows, to be chosen; null where the policy stays blind. */
function chooser(i, frame, model, onsee) {
  if (!frame.senses || !frame.mayShow) return null;
  const select = el("select", { id: `look-${i}`, "aria-label": "The look shows" });
  for (const [s, p] of frame.mayShow) {
    const end = model.terminal.includes(s) ? ", terminal" : "";
    select.append(el("option", { value: s }, `${model.states[s]} (${percent(p)}${end})`));
  }
  select.value = frame.seen ?? frame.mayShow[0][0];
  select.addEventListener("change", () => onsee(frame.looks, Number(select.value)));
  return el("label", { class: "picker inline" }, el("span", {}, "and sees"), select);
}

function doing(i, frame, model, onsee) {
  if (frame.action === null) return el("div", { class: "doing ended" }, frame.ended);
  const name = model.actions[frame.action];
  const look = frame.senses
    ? el("span", { class: "badge looks" }, eye(), " then looks")
    : el("span", { class: "badge" }, "stays blind");
  return el("div", { class: "doing" },
    actionMark(name), el("span", { class: "action-name" }, name), look, chooser(i, frame, model, onsee));
}

function figures(frame, cell, model) {
  const problem = problemOf[cell.problem];
  const word = problem.rewards ? "Reward so far" : "Cost so far";
  return definitions([
    [word, money(frame.cost, problem)],
    ["Of it, for looks", frame.paid ? money(frame.paid, problem) : "0"],
    ["Blind for", `${frame.depth} ${frame.depth === 1 ? "step" : "steps"}`],
    model.terminal.length ? ["Already over", percent(frame.terminal)] : ["Looks so far", String(frame.looks)],
  ], "facts panel-facts");
}

/** The steps behind and the rest of the plan in hand, as buttons. */
function strip(walk, step, model, onstep) {
  const list = el("ol", { class: "strip", "aria-label": "Steps of this policy" });
  const here = Math.min(step, walk.frames.length - 1);
  const plan = walk.frames[here].plan;
  const ahead = plan ? plan.actions.length - walk.frames[here].depth : 1;
  const last = Math.min(here + ahead, here + STRIP);
  for (let t = Math.max(0, here - STRIP); t < last; t++) {
    const frame = walk.at(t);
    if (frame.action === null || t >= walk.frames.length) break;
    const name = model.actions[frame.action];
    const label = `Step ${t}: ${name}${frame.senses ? ", then look" : ""}`;
    const button = el("button", { type: "button", "aria-label": label, title: label, tabindex: "-1" });
    button.append(actionMark(name));
    if (frame.senses) button.append(eye());
    if (t === here) button.setAttribute("aria-current", "step");
    button.addEventListener("click", () => onstep(t));
    list.append(el("li", { class: t > here ? "ahead" : "" }, button));
  }
  return list;
}

/** Draw panel i; returns the element and whether the walk goes on past this step. */
export function drawPanel(i, key, walk, step, seen, handlers) {
  const cell = cellOf[key];
  const model = policies().problems[cell.problem];
  const frame = walk.at(step);
  frame.seen = seen[frame.looks];
  const worth = policies().policies[key].values[walk.at(0).root];
  const value = worth === undefined ? "" : `worth ${money(worth, problemOf[cell.problem])} from this start`;
  const since = frame.depth === 0
    ? (frame.looks ? `saw ${model.states[frame.root]}` : `starts in ${model.states[frame.root]}`)
    : `last known: ${model.states[frame.root]}`;
  const [picture, bars] = beliefPicture(frame, model);
  const words = el("div", { class: "panel-words" },
    el("p", { class: "since muted" }, since),
    doing(i, frame, model, handlers.onsee),
    figures(frame, cell, model));
  const panel = el("article", { class: "panel", "aria-label": `${cell.method}, step ${step}` },
    el("header", {}, el("h3", {}, cell.method), el("span", { class: "muted" }, value)),
    el("div", { class: picture ? "panel-body" : "" }, words, picture, bars),
    strip(walk, step, model, handlers.onstep));
  panel.dataset.key = key;
  panel.dataset.step = String(Math.min(step, walk.frames.length - 1));
  return { panel, goesOn: frame.action !== null && step < walk.frames.length };
}
