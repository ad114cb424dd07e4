// What the page knows: the suite's cells at once, the policies when first asked for.

import { byId } from "./dom.js";

export const suite = JSON.parse(byId("suite-data").textContent);

/** A plain dictionary: a link to "constructor" finds nothing in it. */
const byName = (pairs) => Object.assign(Object.create(null), Object.fromEntries(pairs));
export const problemOf = byName(suite.problems.map((p) => [p.id, p]));
export const cellOf = byName(suite.cells.map((c) => [c.key, c]));

let policyData = null;

/** Models, plans and stored beliefs; parsed late so that the table need not wait for them. */
export function policies() {
  policyData ??= JSON.parse(byId("policy-data").textContent);
  return policyData;
}

export const hasPolicy = (cell) => cell.explorable;

/**
 * A plan from its short form: "0x3,2!" is action 0 three times, then 2 with a look. Without "!" it
 * is blind for good; "~" says that only its beginning is stored.
 */
export function readPlan(text) {
  const cut = text.includes("~");
  const looks = text.includes("!");
  const actions = [];
  for (const run of text.replace(/[!~]/g, "").split(",")) {
    if (!run) continue;
    const [action, times] = run.split("x");
    for (let i = 0; i < Number(times ?? 1); i++) actions.push(Number(action));
  }
  return { actions, cut, looks, senses: looks && !cut };
}

/** Cells that can be stepped through, for one problem and sensing cost when given. */
export function explorable(problem, k) {
  return suite.cells.filter(
    (c) => hasPolicy(c) && (!problem || c.problem === problem) && (k === undefined || c.k === k),
  );
}
