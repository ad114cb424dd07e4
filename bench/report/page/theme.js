// Light, dark, or as the system says.

import { byId } from "./dom.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const WORDS = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" };

function remembered() {
  try {
    return localStorage.getItem("sensebench-theme") ?? "auto";
  } catch {
    return "auto"; // some browsers give a page from disk no storage
  }
}

function apply(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").textContent = WORDS[theme];
  byId("theme").dataset.value = theme;
}

export function startTheme() {
  const first = remembered();
  apply(first in NEXT ? first : "auto");
  byId("theme").addEventListener("click", () => {
    const theme = NEXT[byId("theme").dataset.value];
    apply(theme);
    try {
      localStorage.setItem("sensebench-theme", theme);
    } catch {
      // not remembered, still applied
    }
  });
}
