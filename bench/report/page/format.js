// Numbers and plans in words.

const MINUS = "\u2212";
const ARROWS = {
  left: "←", west: "←", right: "→", east: "→", up: "↑", north: "↑", down: "↓", south: "↓",
};

/** A number with fixed decimals and a true minus sign. */
export function fixed(value, digits) {
  if (value === null || value === undefined) return "";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** A number to a few significant digits. */
export function significant(value, digits = 4) {
  if (value === null || value === undefined) return "";
  const text = String(Number(Math.abs(value).toPrecision(digits)));
  return value < 0 ? MINUS + text : text;
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 0.001) return "<1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 1000) return `${Math.round(seconds)} s`;
  return `${Math.round(seconds / 60)} min`;
}

export function percent(share) {
  if (share === null || share === undefined) return "";
  const hundred = share * 100;
  if (hundred === 0) return "0 %";
  if (hundred < 0.01) return "<0.01 %";
  if (hundred < 1) return `${hundred.toFixed(2)} %`;
  if (hundred < 10) return `${hundred.toFixed(1)} %`;
  if (hundred < 1000) return `${Math.round(hundred)} %`;
  return ">999 %";
}

/** Width of a gap's bar, 0 to 1, on a log scale from 0.01 % to 100 %. */
export function gapWidth(gap) {
  return Math.min(1, Math.max(0.03, (Math.log10(gap) + 4) / 4));
}

export const arrow = (actionName) => ARROWS[actionName.toLowerCase()] ?? null;

/** A plan in words: "down ×2, right, then look". */
export function planWords(plan, actionNames) {
  if (!plan.actions.length) return "nothing to do: the episode is over";
  const runs = [];
  for (const a of plan.actions) {
    const last = runs.at(-1);
    if (last && last[0] === a) last[1] += 1;
    else runs.push([a, 1]);
  }
  const words = runs.slice(0, 24).map(([a, n]) => actionNames[a] + (n > 1 ? ` ×${n}` : ""));
  if (runs.length > 24 || plan.cut) words.push("…");
  return words.join(", ") + (plan.looks ? ", then look" : ", blind for good");
}

function words(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return significant(value, 6);
  if (Array.isArray(value)) {
    return value.slice(0, 12).map(words).join(", ") + (value.length > 12 ? ", …" : "");
  }
  if (typeof value !== "object") return String(value);
  return Object.entries(value).map(([name, own]) => `${name} ${words(own)}`).join(", ");
}

/** The entries of a record for a definition list, in words. */
export const pairs = (record) =>
  Object.entries(record ?? {}).map(([name, value]) => [name.replaceAll("_", " "), words(value)]);
