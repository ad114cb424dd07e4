// Bounds over time, as a small chart.

import { svg } from "./dom.js";
import { duration, significant } from "./format.js";

const WIDTH = 560;
const HEIGHT = 200;
const BOX = { left: 62, right: 10, top: 10, bottom: 26 };

/** About n round numbers between low and high. */
export function ticks(low, high, n) {
  if (!(high > low)) return [low];
  const raw = (high - low) / n;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * [1, 2, 5, 10].find((m) => m * unit >= raw);
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12); i++) found.push(i * step);
  return found;
}

function timeTicks(low, high, log) {
  if (!log) return ticks(low, high, 5);
  const found = [];
  for (let e = Math.ceil(Math.log10(low)); e <= Math.log10(high); e++) found.push(10 ** e);
  return found.length > 1 ? found : [low, high];
}

/** The y range: early bounds may be miles off, so the later half decides. */
function range(trace, value) {
  const late = trace.slice(Math.floor(trace.length / 2)).flatMap(([, low, high]) => [low, high]);
  const all = [...late, value].filter((y) => y !== null && Number.isFinite(y));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const pad = (high - low || Math.abs(high) || 1) * 0.15;
  return [low - pad, high + pad];
}

/** trace: [[seconds, low, high], …] in printed units, either bound may be null. */
export function boundsChart(trace, value, unit) {
  const times = trace.map(([t]) => Math.max(t, 1e-4));
  const [t0, t1] = [times[0], Math.max(times.at(-1), times[0] * 1.01)];
  const log = t1 / t0 > 50;
  const scale = log ? Math.log10 : (t) => t;
  const [y0, y1] = range(trace, value);
  const span = scale(t1) - scale(t0) || 1;
  const x = (t) => BOX.left + ((WIDTH - BOX.left - BOX.right) * (scale(t) - scale(t0))) / span;
  const clip = (y) => Math.min(y1, Math.max(y0, y));
  const y = (v) => HEIGHT - BOX.bottom - ((HEIGHT - BOX.top - BOX.bottom) * (clip(v) - y0)) / (y1 - y0);

  const stairs = (which) => {
    let path = "";
    let previous = null;
    trace.forEach((point, i) => {
      const v = point[which];
      if (v === null || !Number.isFinite(v)) return;
      const at = `${x(times[i]).toFixed(1)}`;
      path += previous === null ? `M${at} ${y(v).toFixed(1)}` : `H${at}V${y(v).toFixed(1)}`;
      previous = v;
    });
    return path;
  };
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img",
    "aria-label": `Bounds over time, ${unit}: from ${significant(trace.at(-1)[1])} to `
      + `${significant(trace.at(-1)[2])} after ${duration(trace.at(-1)[0])}`,
  });
  for (const v of ticks(y0, y1, 4)) {
    picture.append(svg("line", { class: "rule", x1: BOX.left, x2: WIDTH - BOX.right, y1: y(v), y2: y(v) }));
    picture.append(svg("text", { class: "tick", x: BOX.left - 6, y: y(v) + 4, "text-anchor": "end" }, significant(v, 3)));
  }
  for (const t of timeTicks(t0, t1, log)) {
    picture.append(svg("text", { class: "tick", x: x(t), y: HEIGHT - 8, "text-anchor": "middle" }, duration(t)));
  }
  if (value !== null) {
    picture.append(svg("line", { class: "at-value", x1: BOX.left, x2: WIDTH - BOX.right, y1: y(value), y2: y(value) }));
  }
  picture.append(svg("path", { class: "bound low", d: stairs(1) }));
  picture.append(svg("path", { class: "bound high", d: stairs(2) }));
  return picture;
}
