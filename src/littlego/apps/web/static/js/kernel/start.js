// What the worker runs first: it serves the page that started it, with the kernel's files.

import { serve } from "./worker.js";

const base = new URL("../../kernel/", import.meta.url);

/** @param {string} name */
async function open(name) {
  const answer = await fetch(new URL(name, base));
  if (!answer.ok || !answer.body) throw new Error(`${name} cannot be fetched: ${answer.status}`);
  return answer.body;
}

const few = /** @type {any} */ (navigator).deviceMemory < 4;
serve(self, { open, tableBytes: few ? 1 << 26 : 1 << 28 });
