// Files from a visitor's machine, and back to it: what was dropped or chosen, and archives to download.

const MOST_BYTES = 64 << 20;
const MOST_FILES = 1000;
const LEFT_OUT = /(^|\/)(\.git|__pycache__|__MACOSX|\.DS_Store|node_modules)(\/|$)/;

/**
 * The files of a drop, those of folders with their paths. Errors say what is too much.
 * @param {DataTransfer} dropped
 */
export async function droppedFiles(dropped) {
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return chosenFiles(dropped.files);
  /** @type {[string, File][]} */
  const found = [];
  for (const entry of entries) await walk(entry, "", found);
  return withContents(found);
}

/** @param {Iterable<File>} chosen */
export const chosenFiles = (chosen) =>
  withContents([...chosen].map((file) => [file.webkitRelativePath || file.name, file]));

async function walk(entry, place, found) {
  const path = place + entry.name;
  if (LEFT_OUT.test(path)) return;
  if (found.length > MOST_FILES) return;
  if (entry.isFile) found.push([path, await new Promise((resolve, reject) => entry.file(resolve, reject))]);
  else {
    const reader = entry.createReader();
    const next = () => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    // It gives a hundred at a time.
    for (let some = await next(); some.length; some = await next())
      for (const one of some) await walk(one, `${path}/`, found);
  }
}

/** @param {[string, File][]} found @returns {Promise<[string, Uint8Array][]>} */
async function withContents(found) {
  const kept = found.filter(([path]) => !LEFT_OUT.test(path));
  if (!kept.length) throw new Error("There is no file in what was dropped.");
  if (kept.length > MOST_FILES) throw new Error(`More than ${MOST_FILES} files: drop the agent's own folder.`);
  const size = kept.reduce((sum, [, file]) => sum + file.size, 0);
  if (size > MOST_BYTES) throw new Error(`${megabytes(size)}: an agent has at most ${megabytes(MOST_BYTES)}.`);
  const read = async ([path, file]) => [path, new Uint8Array(await file.arrayBuffer())];
  const files = await Promise.all(kept.map(read));
  files.sort(([one], [other]) => (one < other ? -1 : 1));
  return withoutCommonFolder(files);
}

// A folder that was dropped holds everything: its name is nothing of the agent's.
function withoutCommonFolder(files) {
  const first = files[0][0].split("/")[0];
  const inside = files.every(([path]) => path.startsWith(`${first}/`));
  return inside ? files.map(([path, bytes]) => [path.slice(first.length + 1), bytes]) : files;
}

export const megabytes = (size) => (size < 1e5 ? `${Math.ceil(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`);

/** The text of a file, or null if it is none. @param {Uint8Array} bytes */
export function textOf(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** An archive of files, not compressed. @param {[string, Uint8Array][]} files @returns {Uint8Array<ArrayBuffer>} */
export function zipOf(files) {
  const parts = [];
  const listed = [];
  let at = 0;
  for (const [path, bytes] of files) {
    const name = new TextEncoder().encode(path);
    const sum = checksum(bytes);
    const common = [
      [20, 2],
      [0x0800, 2],
      [0, 2],
      [0, 2],
      [0x0021, 2],
      [sum, 4],
      [bytes.length, 4],
      [bytes.length, 4],
      [name.length, 2],
      [0, 2],
    ];
    listed.push(
      packed([0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0o100644 * 65536, 4], [at, 4]),
      name,
    );
    parts.push(packed([0x04034b50, 4], ...common), name, bytes);
    at += 30 + name.length + bytes.length;
  }
  const size = listed.reduce((sum, part) => sum + part.length, 0);
  const count = files.length;
  const end = packed([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [at, 4], [0, 2]);
  const all = [...parts, ...listed, end];
  const whole = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of all) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}

/** Numbers with so many bytes each, the lowest first. @param {...number[]} fields */
const packed = (...fields) =>
  Uint8Array.from(
    fields.flatMap(([value, bytes]) => Array.from({ length: bytes }, (_, k) => (value / 256 ** k) & 255)),
  );

/** @param {Uint8Array} bytes */
function checksum(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let k = 0; k < 8; k++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
  }
  return ~sum >>> 0;
}
