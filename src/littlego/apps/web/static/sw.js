// The pages without a network. A new version is fetched whole, and takes over when every page of the old one is closed or
// reloaded: no page ever runs files of two versions.

const [VERSION, FILES, LATER] = ["", [], []];
const OURS = `littlego-${new URL(".", location.href).pathname}-`;
const CACHE = `${OURS}${VERSION}`;

addEventListener("install", (/** @type {any} */ event) => {
  const fresh = (name) => new Request(name === "index.html" ? "./" : name, { cache: "no-cache" });
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map(fresh))));
});

addEventListener("activate", (/** @type {any} */ event) => {
  const forget = (names) => Promise.all(names.filter((name) => isOld(name)).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(forget));
});

// Others may live on the same host under another prefix, such as these pages once more.
const isOld = (name) => name.startsWith(OURS) && name !== CACHE;

// What is large and not always wanted is kept once it was.
const isLater = ({ url }) => LATER.some((name) => url === new URL(name, location.href).href);

addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  event.respondWith(answer(event));
});

async function answer(/** @type {any} */ event) {
  const { request } = event;
  const cache = await caches.open(CACHE);
  const found = await cache.match(request);
  if (found) return found;
  try {
    const fresh = await fetch(request);
    if (fresh.ok && isLater(request)) event.waitUntil(cache.put(request, fresh.clone()));
    return fresh;
  } catch (error) {
    const kept = await caches.match(request); // files that a page keeps itself, such as Python's
    if (kept) return kept;
    throw error;
  }
}
