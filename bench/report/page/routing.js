// Deep links: #cell=KEY opens a run, #policy=KEY[,KEY]&start=S&step=N[&seen=…] a policy's step.

import { byId } from "./dom.js";

const handlers = {};

export function onRoute(name, handler) {
  handlers[name] = handler;
}

/** Put parameters into the address; replace = true for steps that deserve no history entry. */
export function setRoute(parameters, replace = false) {
  const words = Object.entries(parameters).filter(([, v]) => v !== null && v !== "");
  // Keys are hexadecimal and numbers: commas may stand as they are, for links one can read.
  const hash = words.map(([n, v]) => `${n}=${encodeURIComponent(v).replaceAll("%2C", ",")}`).join("&");
  const target = hash ? `#${hash}` : location.pathname + location.search;
  if (replace) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
}

/** Follow the address: every handler hears its parameter, or undefined where it is not named. */
export function followRoute() {
  const parameters = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  for (const [name, handler] of Object.entries(handlers)) handler(parameters[name], parameters);
  const names = Object.keys(parameters);
  const known = names.some((name) => Object.hasOwn(handlers, name)) || byId(names[0]);
  if (names.length && !known) answerLink(`place called ${names[0] || location.hash}`);
}

/** Say that a link leads to something this page does not have; null takes the word away. */
export function answerLink(what) {
  const words = what === null ? "" : `This page has no ${what}: the link is of another report, or the suite has been run again.`;
  byId("route-notice").textContent = words;
  byId("route-notice").className = words ? "notice" : "";
}

export function startRouting() {
  addEventListener("popstate", followRoute); // also fired when the hash is edited by hand
  followRoute();
}
