// The worker in which a page's Python runs. It gets { load } once, then { files, job, ended }, one at a time.

import { Python } from "./python.js";

const BASE = new URL("../../pyodide/", import.meta.url);
// Another site of these pages may live on the same host, under another path.
const PREFIX = `python-littlego${BASE.pathname}`;
const TYPES = { wasm: "application/wasm", json: "application/json", zip: "application/zip" };
// Bytes that Python takes before a program runs; the limit of a program's own memory comes on top.
const OWN_MEMORY = 1 << 28;
// Not needed once Python runs, and nothing that a program should reach.
const DOORS = [
  "fetch",
  "XMLHttpRequest",
  "WebSocket",
  "EventSource",
  "WebTransport",
  "indexedDB",
  "caches",
  "Worker",
  "BroadcastChannel",
];

/** @type {Python} */
let python;
const post = (message) => postMessage(message);

addEventListener("message", async ({ data }) => {
  try {
    if (data.load) await load(data.load);
    else {
      python.work(data.files, data.job, data.ended);
      post({ idle: true });
    }
  } catch (error) {
    post({
      broken: String(error?.message ?? error)
        .trim()
        .split("\n")
        .at(-1)
        .slice(-300),
    });
  }
});

/** @param {{ version: string, files: Record<string, number>, memory: number }} asked */
async function load({ version, files, memory }) {
  const total = Object.values(files).reduce((sum, size) => sum + size, 0);
  let loaded = 0;
  const note = (size) => post({ loading: (loaded += size), total });
  const cache = await open(PREFIX + version);
  const found = new Map();
  for (const name of Object.keys(files)) found.set(new URL(name, BASE).href, await bytesOf(name, cache, note));
  await bytesOf("files.json", cache, () => {}); // with which the page starts without a network
  const network = fetch;
  // Pyodide fetches its own files: they are here already.
  self.fetch = async (request, options) => {
    const url = request instanceof Request ? request.url : String(request);
    const bytes = found.get(url);
    const type = TYPES[url.split(".").at(-1)] ?? "text/javascript";
    return bytes ? new Response(bytes, { headers: { "content-type": type } }) : network(request, options);
  };
  python = await Python.load(
    {
      read: async (name) => found.get(new URL(name, BASE).href),
      load: async () => (await import(new URL("pyodide.mjs", BASE).href)).loadPyodide({ indexURL: BASE.href }),
      post,
    },
    memory + OWN_MEMORY,
  );
  for (const door of DOORS) Object.defineProperty(self, door, { value: undefined });
  post({ ready: true });
}

// The cache of this version; those of others are removed. Null where a browser gives none, as to pages without https.
async function open(name) {
  if (!self.caches) return null;
  try {
    for (const other of await caches.keys()) if (other.startsWith(PREFIX) && other !== name) await caches.delete(other);
    return await caches.open(name);
  } catch {
    return null; // a private window, or no room
  }
}

async function bytesOf(name, cache, note) {
  const url = new URL(name, BASE).href;
  const kept = await cache?.match(url);
  if (kept) {
    const bytes = await kept.arrayBuffer();
    note(bytes.byteLength);
    return bytes;
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${name} cannot be loaded: ${answer.status}`);
  const parts = [];
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    note(part.value.length);
  }
  const bytes = await new Blob(parts).arrayBuffer();
  try {
    await cache?.put(
      url,
      new Response(bytes, { headers: { "content-type": TYPES[name.split(".").at(-1)] ?? "text/javascript" } }),
    );
  } catch {
    // No room: it is fetched again next time.
  }
  return bytes;
}
