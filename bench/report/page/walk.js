// Following one policy from one root. Between looks the belief obeys b' = b T(a); a look collapses
// it to what was seen, and the next plan is that root's. Costs are discounted expectations given
// what was seen so far.

const LONGEST = 400;
const BLIND = "Blind for good: nothing that may still happen changes the value.";

/** The belief after one step: transitions are [row starts, columns, probabilities] of T(a). */
export function stepBelief(belief, [starts, columns, chances]) {
  const after = new Float64Array(belief.length);
  for (let s = 0; s < belief.length; s++) {
    if (belief[s] === 0) continue;
    for (let i = starts[s]; i < starts[s + 1]; i++) after[columns[i]] += belief[s] * chances[i];
  }
  return after;
}

/** [state, chance] pairs, likeliest first. */
export function likeliest(belief) {
  const pairs = [];
  belief.forEach((p, s) => p > 1e-12 && pairs.push([s, p]));
  return pairs.sort(([s, p], [t, q]) => q - p || s - t);
}

const dot = (belief, numbers) => belief.reduce((sum, p, s) => sum + p * numbers[s], 0);

/** k: a number, one per action, or one list of states' costs per action. */
function lookCost(k, belief, action) {
  const own = Array.isArray(k) ? k[action] : k;
  return Array.isArray(own) ? dot(belief, own) : own;
}

const known = (size, state) => Float64Array.from({ length: size }, (_, s) => (s === state ? 1 : 0));

/** The frames of a policy whose model the page has: beliefs are worked out here. */
export class ModelWalk {
  constructor(model, policy, planOf, root, seen) {
    Object.assign(this, { model, policy, planOf, seen });
    const belief = known(model.states.length, root);
    this.frames = [this.frame(belief, root, 0, 0, 0, 0)];
  }

  frame(belief, root, depth, looks, cost, paid) {
    const { model } = this;
    const isTerminal = (s) => model.terminal.includes(s);
    const plan = this.planOf(root);
    const here = { pairs: likeliest(belief), belief, root, depth, looks, cost, paid };
    here.terminal = model.terminal.reduce((sum, s) => sum + belief[s], 0);
    here.action = null;
    if (depth === 0 && isTerminal(root)) here.ended = "The look showed a terminal state: the episode is over.";
    else if (!plan) here.ended = `No plan is stored for ${model.states[root]}.`;
    else if (depth >= plan.actions.length) {
      here.ended = plan.cut ? "The rest of this long plan is not stored." : BLIND;
    } else {
      here.action = plan.actions[depth];
      here.senses = plan.senses && depth === plan.actions.length - 1;
      here.plan = plan;
      if (here.senses) here.mayShow = likeliest(stepBelief(belief, model.transitions[here.action]));
    }
    return here;
  }

  /** Frame t, or the last one there is. */
  at(t) {
    while (this.frames.length <= t && this.advance());
    return this.frames[Math.min(t, this.frames.length - 1)];
  }

  advance() {
    const now = this.frames.at(-1);
    if (now.action === null || this.frames.length > LONGEST) return false;
    const { model } = this;
    const discount = model.discount ** (this.frames.length - 1);
    let cost = now.cost + discount * dot(now.belief, model.costs[now.action]);
    let { paid } = now;
    if (now.senses) {
      const price = discount * lookCost(this.policy.k, now.belief, now.action);
      cost += price;
      paid += price;
      const wanted = this.seen[now.looks];
      const possible = now.mayShow.some(([s]) => s === wanted);
      const state = possible ? wanted : now.mayShow[0][0];
      const belief = known(now.belief.length, state);
      this.frames.push(this.frame(belief, state, 0, now.looks + 1, cost, paid));
    } else {
      const belief = stepBelief(now.belief, model.transitions[now.action]);
      this.frames.push(this.frame(belief, now.root, now.depth + 1, now.looks, cost, paid));
    }
    return true;
  }
}

/** The frames of a policy whose model is too large for the page: stored, up to the first look. */
export class StoredWalk {
  constructor(model, plan, stored, root) {
    this.frames = stored.map(([pairs, terminal, cost, paid], t) => {
      const frame = { pairs: [], root, depth: t, looks: 0, cost, paid, terminal, action: null, plan };
      for (let i = 0; i < pairs.length; i += 2) frame.pairs.push([pairs[i], pairs[i + 1]]);
      if (t < stored.length - 1) {
        frame.action = plan.actions[t];
        frame.senses = plan.senses && t === plan.actions.length - 1;
      } else if (plan.senses && t === plan.actions.length) {
        frame.ended = "This is what the look may show. The model is too large to go on in the page.";
      } else if (plan.looks || plan.cut || t < plan.actions.length) {
        frame.ended = "The beliefs of later steps are not stored in the page.";
      } else frame.ended = BLIND;
      return frame;
    });
  }

  at(t) {
    return this.frames[Math.min(t, this.frames.length - 1)];
  }
}
