// The parts that only state something: the opening words, the figures, the settings.

import { suite } from "./data.js";
import { byId, definitions, el, withCode } from "./dom.js";
import { pairs } from "./format.js";

/** The address of a packed figure: gzip in base64, unpacked here. */
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return `data:image/svg+xml,${encodeURIComponent(await new Response(stream).text())}`;
}

function figures() {
  for (const figure of suite.figures) {
    const image = el("img", { alt: figure.title });
    unpacked(figure.packed).then((source) => { image.src = source; });
    const link = el("a", { href: figure.file }, "open alone");
    byId("figure-list").append(
      el("figure", {}, image, el("figcaption", {}, el("span", {}, figure.title), link)),
    );
  }
  if (!suite.figures.length) {
    byId("figure-list").append(
      el("p", { class: "muted" }, "No figures yet: ", el("code", {}, "sensebench plot"), " makes them."),
    );
  }
}

function settings() {
  byId("settings-body").append(definitions(suite.settings));
  for (const [clone, record] of Object.entries(suite.environments)) {
    byId("settings-body").append(
      el("h3", {}, `Machine of clone ${clone}`), definitions(pairs(record), "facts small"),
    );
  }
}

export function startFront() {
  byId("suite-words").append(...withCode(suite.words));
  figures();
  settings();
}
