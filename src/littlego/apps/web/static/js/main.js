// Shows the page that the address names. Links between pages do not reload the document.

import { here } from "./address.js";
import { attempt, button, capital, h, replace, toast } from "./dom.js";
import { about, suspect } from "./server/api.js";
import { showJobs } from "./server/jobs.js";

const PAGES = new Set(["play", "watch", "review", "drills", "drop", "arena", "learn", "solution"]);
const main = document.getElementById("main");
const welcome = main.querySelectorAll(".welcome > *");
let leave = null;
let turn = 0;
let failed = false; // whether an error is shown instead of a page

function go(path) {
  history.replaceState({ ...history.state, scroll: scrollY }, ""); // to come back to
  history.pushState({}, "", `#${path}`);
  return show();
}

// Scrolls to where somebody was, as soon as the page is long enough again.
function scrollBack(to, tries = 40) {
  scrollTo(0, to);
  if (scrollY < to && tries) setTimeout(() => scrollBack(to, tries - 1), 50);
}

async function show() {
  const mine = ++turn;
  const [name, ...rest] = here().parts;
  const page = PAGES.has(name) ? name : "play";
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#nav a"))) {
    if (link.getAttribute("href") !== `#/${page}`) link.removeAttribute("aria-current");
    else {
      link.setAttribute("aria-current", "page");
      const nav = link.parentElement; // both are placed from the document
      nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
    }
  }
  leave?.();
  leave = null;
  failed = false;
  try {
    if (name && page !== name) throw new Error("There is no such page.");
    const module = await import(`./pages/${page}.js`);
    if (mine !== turn) return;
    replace(main);
    main.className = page;
    document.title = `${module.title ?? "Little-Go"} · Little-Go`;
    const left = await module.show(main, rest, { go, welcome });
    if (mine === turn) leave = left ?? null;
    else left?.();
  } catch (error) {
    if (mine !== turn) return;
    failed = true;
    tellAway();
    if (error.status === 0) suspect();
    replace(main, h("section", { class: "card narrow" }, failure(error)));
  }
}

const failure = (error) =>
  error.status === 401
    ? [h("h1", {}, "Sign in first"), h("p", {}, capital(error.message)), button("Enter the token", null, show)]
    : [
        h("h1", {}, "Something went wrong"),
        h("p", {}, capital(error.message)),
        h("p", {}, h("a", { href: "#/play" }, "Back to the board")),
      ];

document.addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement} */ (/** @type {HTMLElement} */ (event.target).closest("a[href^='#']"));
  if (!link || link.target || link.hasAttribute("download")) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  if (!link.hash.startsWith("#/")) return main.focus();
  go(link.hash.slice(1));
  main.focus({ preventScroll: true });
  return scrollTo(0, 0);
});
addEventListener("popstate", async () => {
  const { scroll } = history.state ?? {};
  await show();
  if (scroll) scrollBack(scroll);
});

// Dialogs are loaded when somebody opens them.
const onClick = (id, action) => document.getElementById(id).addEventListener("click", () => attempt(action));
onClick("rules", async () => (await import("./rules.js")).showRules());
onClick("settings", async () => (await import("./settings.js")).showSettings());

document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
});

// While the server is away, the page stays. One that could not be loaded is loaded when the server is back, by a reload:
// a document remembers a failed import.
const away = document.getElementById("away");
let isAway = false;

function tellAway() {
  replace(away, isAway && (met || failed) && h("p", {}, "The server cannot be reached. Trying again…"));
}

addEventListener("away", () => {
  isAway = true;
  tellAway();
});
addEventListener("back", () => {
  isAway = false;
  tellAway();
  if (failed) location.reload();
  else if (!met) meet();
});

// Jobs are somebody's.
const jobs = () => showJobs(document.getElementById("jobs"));
addEventListener("entered", jobs, { once: true });
let met = false; // whether the server has said what it is

function meet() {
  return about().then(
    ({ owner, student, offers }) => {
      met = true;
      for (const door of document.querySelectorAll("#nav [data-needs]"))
        door.toggleAttribute("hidden", !offers.includes(/** @type {any} */ (door).dataset.needs));
      if (owner || student) dispatchEvent(new Event("entered"));
    },
    () => {}, // a static host, or tried again when the server is back
  );
}

meet();
show();

addEventListener("not-kept", (/** @type {any} */ { detail }) => toast(detail, "error"));

// Everything is fetched for the time without a network, once the page has what it needs itself.
addEventListener("load", () => setTimeout(() => navigator.serviceWorker?.register("sw.js").catch(() => {}), 5000));
