// Before the first paint, so that a dark page does not flash white.
const kept = localStorage.getItem("theme");
if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
