// A belief as a picture: shaded cells where the problem is a grid, bars elsewhere.

import { el, svg } from "./dom.js";
import { arrow, percent } from "./format.js";

const BARS = 12;
const LISTED = 5;
const SIZE = 60;

function bars(pairs, model, count) {
  const list = el("ul", { class: "bars", "aria-label": "Likeliest states" });
  const top = pairs.slice(0, count);
  for (const [s, p] of top) {
    const bar = el("span", { class: "bar", "aria-hidden": "true" }, el("span"));
    bar.firstChild.style.width = `${100 * p}%`;
    const name = el("span", { class: "bar-name" }, model.states[s]);
    if (model.terminal.includes(s)) name.append(el("span", { class: "muted" }, " (terminal)"));
    list.append(el("li", {}, name, bar, el("span", { class: "bar-share" }, percent(p))));
  }
  const rest = Math.max(0, 1 - top.reduce((sum, [, p]) => sum + p, 0));
  if (rest > 5e-5) {
    const label = el("span", { class: "bar-name muted" }, "all other states");
    const blank = el("span", { class: "bar" }, el("span"));
    blank.firstChild.style.width = `${100 * rest}%`;
    list.append(el("li", {}, label, blank, el("span", { class: "bar-share" }, percent(rest))));
  }
  return list;
}

function massPerCell(pairs, grid) {
  const mass = grid.cells.map((row) => Array(row.length).fill(0));
  for (const [s, p] of pairs) mass[grid.position[s][0]][grid.position[s][1]] += p;
  return mass;
}

/** Whether every state of a cell ends the episode: a goal or a hole, whatever its letter. */
function endsThere(model, row, column) {
  const here = model.grid.position.flatMap(([r, c], s) => (r === row && c === column ? [s] : []));
  return here.length > 0 && here.every((s) => model.terminal.includes(s));
}

function square(letter, row, column, mass, root, ends) {
  const [x, y] = [column * SIZE, row * SIZE];
  const kind = !ends ? "floor" : letter === "H" ? "hole" : "goal";
  const group = svg("g", { class: `square square-${kind}` });
  group.append(svg("rect", { class: "ground", x, y, width: SIZE, height: SIZE }));
  const shade = svg("rect", { class: "mass", x, y, width: SIZE, height: SIZE });
  // The eye reads small shares better when the scale bends up a little.
  shade.style.fillOpacity = (0.95 * mass ** 0.7).toFixed(3);
  group.append(shade);
  if (letter !== "F") {
    group.append(svg("text", { class: "letter", x: x + 7, y: y + 16 }, letter));
  }
  if (mass >= 0.005) {
    const share = svg("text", { class: mass > 0.8 ? "share strong" : "share", x: x + SIZE / 2, y: y + SIZE / 2 + 6 });
    share.textContent = `${Math.round(100 * mass)}`;
    group.append(share);
  }
  if (root) group.append(svg("rect", { class: "root", x: x + 3, y: y + 3, width: SIZE - 6, height: SIZE - 6 }));
  return group;
}

function walls(grid) {
  return grid.walls.map(([[r1, c1], [r2, c2]]) => {
    const [r, c] = [Math.max(r1, r2) * SIZE, Math.max(c1, c2) * SIZE];
    const end = r1 === r2 ? { x2: c, y2: r + SIZE } : { x2: c + SIZE, y2: r };
    return svg("line", { class: "wall", x1: c, y1: r, ...end });
  });
}

function gridPicture(frame, model) {
  const { grid } = model;
  const mass = massPerCell(frame.pairs, grid);
  const [height, width] = [grid.cells.length * SIZE, grid.cells[0].length * SIZE];
  const said = frame.pairs.slice(0, 3).map(([s, p]) => `${model.states[s]} ${percent(p)}`).join(", ");
  const picture = svg("svg", {
    viewBox: `-2 -2 ${width + 4} ${height + 4}`, class: "grid", role: "img",
    "aria-label": `Belief on the grid: ${said}`,
  });
  const [rootRow, rootColumn] = grid.position[frame.root];
  grid.cells.forEach((letters, r) => [...letters].forEach((letter, c) => {
    const root = r === rootRow && c === rootColumn;
    picture.append(square(letter, r, c, mass[r][c], root, endsThere(model, r, c)));
  }));
  picture.append(...walls(grid));
  return picture;
}

/** The belief of one frame: [picture or null, bars]. */
export function beliefPicture(frame, model) {
  if (!model.grid) return [null, bars(frame.pairs, model, BARS)];
  return [gridPicture(frame, model), bars(frame.pairs, model, LISTED)];
}

/** An action as an arrow where it is a direction, else by name. */
export function actionMark(name) {
  return el("span", { class: arrow(name) ? "mark" : "mark words" }, arrow(name) ?? name);
}
