// Making elements. Data only ever enters as text nodes and attribute values, so a name that looks
// like markup stays a name.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** An HTML element: el("a", {href: "#x", onclick: f}, "text", child, …). */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export const byId = (id) => document.getElementById(id);

/** A definition list from [term, description] pairs; pairs without a description are left out. */
export function definitions(pairs, className = "facts") {
  const list = el("dl", { class: className });
  for (const [term, description] of pairs) {
    if (description === null || description === undefined || description === "") continue;
    const wide = String(description).length > 40 ? "wide" : null;
    list.append(el("div", { class: wide }, el("dt", {}, term), el("dd", {}, description)));
  }
  return list;
}

/** A labelled select; options are [value, text] pairs. */
export function picker(id, label, options, value, onpick) {
  const choices = options.map(([v, text]) => el("option", { value: v }, text));
  const select = el("select", { id, onchange: () => onpick(select.value) }, ...choices);
  select.value = value;
  return el("label", { class: "picker" }, el("span", {}, label), select);
}

/** The eye that stands for a look, wherever one is shown. */
export function eye(title = "looks") {
  return svg(
    "svg",
    { viewBox: "0 0 20 14", class: "eye", role: "img", "aria-label": title },
    svg("path", { d: "M1 7Q10 -3 19 7Q10 17 1 7Z" }),
    svg("circle", { cx: 10, cy: 7, r: 3.2 }),
  );
}

const ICONS = {
  first: "M2 2h2v12H2zM9.5 2v12L4.5 8zM15 2v12L10 8z",
  previous: "M3 2h2v12H3zM13 2v12L6 8z",
  play: "M4 2l9 6-9 6z",
  pause: "M4 2h3v12H4zM9 2h3v12H9z",
  next: "M11 2h2v12h-2zM3 2v12l7-6z",
};

/** A small picture for a button; the button's label says what it means. */
export function icon(name) {
  return svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** A text in which `backticks` mark code, as elements. */
export function withCode(text) {
  return text.split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part));
}
