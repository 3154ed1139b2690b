// Before the first paint, so that a dark page does not flash white.
const keptTheme = localStorage.getItem("theme");
if (keptTheme === "light" || keptTheme === "dark") document.documentElement.dataset.theme = keptTheme;
// The first page's words are in the document, to be read before any module has come. Other pages do not begin with them.
if (/^(#\/?(play)?)?$/.test(location.hash)) document.documentElement.dataset.first = "";
