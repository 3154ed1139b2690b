// Keeps what was loaded, so that the pages open while the server is away. The server is always asked first: what is kept
// is shown only if it does not answer, so nothing is ever out of date while it runs.

const CACHE = "littlego-1";
const DATA = "littlego-data-1"; // what the API answered
const MOST = 500; // answers
const FRAME = "/play"; // every page is this document
const FILES = ["/static/css/all.css", "/static/icon.svg", "/static/manifest.json"];
const MODULES = [
  "/static/js/board/analysis.js",
  "/static/js/board/bar.js",
  "/static/js/board/board.js",
  "/static/js/board/gif.js",
  "/static/js/board/sound.js",
  "/static/js/board/thoughts.js",
  "/static/js/board/values.js",
  "/static/js/dom.js",
  "/static/js/language/coordinates.js",
  "/static/js/language/de.js",
  "/static/js/language/language.js",
  "/static/js/main.js",
  "/static/js/pages/agent.js",
  "/static/js/pages/arena.js",
  "/static/js/pages/drills.js",
  "/static/js/pages/game.js",
  "/static/js/pages/learn.js",
  "/static/js/pages/play.js",
  "/static/js/pages/reference.js",
  "/static/js/pages/review.js",
  "/static/js/pages/solution.js",
  "/static/js/pages/tournament.js",
  "/static/js/pages/wall.js",
  "/static/js/pages/watch.js",
  "/static/js/results/card.js",
  "/static/js/results/chart.js",
  "/static/js/results/grades.js",
  "/static/js/results/history.js",
  "/static/js/results/standings.js",
  "/static/js/results/streak.js",
  "/static/js/rules.js",
  "/static/js/server/api.js",
  "/static/js/server/jobs.js",
  "/static/js/server/news.js",
  "/static/js/server/progress.js",
  "/static/js/settings.js",
  "/static/js/theme.js",
  "/static/js/watch/panel.js",
  "/static/js/watch/watched.js",
];

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([FRAME, ...FILES, ...MODULES])));
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => ![CACHE, DATA].includes(name));
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))));
  event.waitUntil(self.clients.claim());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || pathname.startsWith("/enter")) return;
  event.respondWith(answer(request, request.mode === "navigate" ? FRAME : request));
});

async function answer(request, kept) {
  try {
    const found = await fetch(request);
    if (found.ok && request.mode !== "navigate" && !found.headers.has("content-disposition"))
      await keep(request, found.clone());
    return found;
  } catch (error) {
    const known = await caches.match(kept, { ignoreVary: true });
    if (known) return known;
    throw error;
  }
}

async function keep(request, found) {
  const isData = new URL(request.url).pathname.startsWith("/api/");
  const cache = await caches.open(isData ? DATA : CACHE);
  await cache.put(request, found);
  const keys = isData ? await cache.keys() : [];
  for (const old of keys.slice(0, Math.max(0, keys.length - MOST))) await cache.delete(old);
}
