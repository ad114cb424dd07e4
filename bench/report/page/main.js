// The page, in the order a reader needs it: the table first.

import { showCell, startDetails } from "./details.js";
import { showPolicy, startExplorer } from "./explorer.js";
import { startFilters } from "./filters.js";
import { startFront } from "./front.js";
import { startSummary } from "./summary.js";
import { onRoute, startRouting } from "./routing.js";
import { drawTable, startTable } from "./table.js";
import { startTheme } from "./theme.js";

startTheme();
startSummary();
startFilters(drawTable);
startTable(showCell);
startFront();
startDetails();
document.documentElement.dataset.ready = "table";
// The explorer parses its own, larger data: let the table be painted before.
requestAnimationFrame(() => setTimeout(() => {
  startExplorer();
  onRoute("cell", showCell);
  onRoute("policy", showPolicy);
  startRouting();
  document.documentElement.dataset.ready = "all";
}));
