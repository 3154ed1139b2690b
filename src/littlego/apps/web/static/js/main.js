// Which page is shown: the address decides, and links between pages load nothing.

import { connect, get } from "./api.js";
import { capital, h, replace } from "./dom.js";
import { showJobs } from "./jobs.js";

const PAGES = new Set(["play", "watch", "review", "drills", "arena", "learn", "solution", "reference"]);
const main = document.getElementById("main");
let leave = null;
let turn = 0;
let failed = false; // whether what is shown is why a page could not be

export function go(path, { again = false } = {}) {
  history[again ? "replaceState" : "pushState"]({}, "", path);
  return show();
}

async function show() {
  const mine = ++turn;
  const [name, ...rest] = location.pathname.split("/").filter(Boolean);
  const page = PAGES.has(name) ? name : "play";
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#nav a"))) {
    if (link.getAttribute("href") !== `/${page}`) link.removeAttribute("aria-current");
    else {
      link.setAttribute("aria-current", "page");
      link.parentElement.scrollLeft = link.offsetLeft - (link.parentElement.clientWidth - link.offsetWidth) / 2;
    }
  }
  leave?.();
  leave = null;
  failed = false;
  try {
    const module = await import(`./pages/${page}.js`);
    if (mine !== turn) return;
    replace(main);
    main.className = page;
    document.title = `${module.title ?? "Little-Go"} · Little-Go`;
    const left = await module.show(main, rest, { go });
    if (mine === turn) leave = left ?? null;
    else left?.();
  } catch (error) {
    if (mine === turn) {
      failed = true;
      replace(
        main,
        h(
          "section",
          { class: "card narrow" },
          h("h1", {}, error.status === 401 ? "This is for the owner" : "That did not work"),
          h("p", {}, capital(error.message)),
          error.status === 401
            ? h("p", { class: "row" }, h("button", { onclick: show }, "Enter the token"))
            : h("p", {}, h("a", { href: "/play" }, "Back to the board")),
        ),
      );
    }
  }
}

document.addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement} */ (/** @type {HTMLElement} */ (event.target).closest("a[href^='/']"));
  if (
    !link ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.button ||
    link.target ||
    link.hasAttribute("download")
  )
    return;
  if (link.pathname.startsWith("/api") || link.pathname.startsWith("/static")) return;
  event.preventDefault();
  go(link.pathname + link.search);
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
addEventListener("popstate", show);

document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
});

// While the server is away the page stays as it is. One that could not even be loaded is loaded as soon as it can be,
// by the browser: it remembers a failed import for as long as the document lives.
const away = document.getElementById("away");
addEventListener("away", () => replace(away, h("p", {}, "The server is away. Trying again…")));
addEventListener("back", () => {
  replace(away);
  if (failed) location.reload();
});

// News is for those who may hear it: nobody but the owner on a server for one machine. Jobs are the owner's alone.
const jobs = () => showJobs(document.getElementById("jobs"));
addEventListener("entered", jobs, { once: true });
get("/api/about").then(
  ({ local, owner }) => {
    if (owner || !local) connect();
    if (owner) dispatchEvent(new Event("entered"));
  },
  () => {},
);
show();
