// The files that the kernel reads besides itself: proven openings and the weights of the guess, which
// littlego/solve/atlas.py and guess.py describe, compressed with gzip and read as they arrive; and learned values.

/**
 * The entries of the atlas with so many plies left, in the layout of littlego/kernel/words.py. A key is two words, the
 * lower one first.
 * @typedef {{ left: number, keys: Uint32Array, values: Uint32Array }} Layer
 */

const POINTS = 25;
const ODD = 255;
const KO = 3 ** POINTS;
const NINE = 3 ** 9;

/** The bytes of a compressed file, a number of them at a time. */
class Bytes {
  /** @param {ReadableStream<any>} stream */
  constructor(stream) {
    this.reader = stream.pipeThrough(new DecompressionStream("gzip")).getReader();
    this.rest = new Uint8Array(0);
  }

  /** The next bytes; fewer at the end. @param {number} count */
  async read(count) {
    const parts = [];
    let missing = count;
    while (missing > 0) {
      if (!this.rest.length) {
        const { done, value } = await this.reader.read();
        if (done) break;
        this.rest = value;
      }
      parts.push(this.rest.subarray(0, missing));
      missing -= parts[parts.length - 1].length;
      this.rest = this.rest.subarray(parts[parts.length - 1].length);
    }
    const found = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
    let at = 0;
    for (const part of parts) {
      found.set(part, at);
      at += part.length;
    }
    return found;
  }

  /** Exactly so many. @param {number} count */
  async readAll(count) {
    const found = await this.read(count);
    if (found.length < count) throw new Error("the file ends too early: load the page again");
    return found;
  }
}

/** The weights of the guess. @param {ReadableStream<any>} stream */
export async function guessWeights(stream) {
  const found = await new Bytes(stream).read(Infinity);
  return new Int8Array(found.buffer);
}

/**
 * A trained model: littlego/learn/model.py describes it.
 * @typedef {{ size: number, komi: number, length: number, view: { stages: number, kinds: string[] }, scale: number,
 *   weights: Int16Array }} Model
 */

/** @param {ReadableStream<any>} stream @returns {Promise<Model>} */
export async function learnedModel(stream) {
  const model = await new Response(stream).json();
  const packed = Uint8Array.from(atob(model.weights), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return { ...model, weights: new Int16Array(await new Response(unpacked).arrayBuffer()) };
}

/** The layers of the atlas, the earliest positions first. @param {ReadableStream<any>} stream @returns {AsyncGenerator<Layer>} */
export async function* layers(stream) {
  const bytes = new Bytes(stream);
  for (;;) {
    const head = await bytes.read(12);
    if (!head.length) return;
    const [left, count, size] = new Uint32Array(head.buffer);
    const steps = await bytes.readAll(size);
    const codes = await bytes.readAll(count);
    const odd = await bytes.readAll(3 * codes.reduce((n, code) => n + (code === ODD ? 1 : 0), 0));
    yield { left, keys: keysOf(left, count, steps), values: valuesOf(left, codes, odd) };
  }
}

/** @param {number} left @param {number} count @param {Uint8Array} steps */
function keysOf(left, count, steps) {
  const keys = new Uint32Array(2 * count);
  let number = 0;
  let at = 0;
  for (let k = 0; k < count; k++) {
    let scale = 1;
    do {
      number += (steps[at] & 127) * scale;
      scale *= 128;
    } while (steps[at++] > 127);
    let mine = 0;
    let theirs = 0;
    // Nine digits at a time are whole numbers of 32 bits, which divide quickly.
    let part = number % NINE;
    let rest = (number - part) / NINE;
    for (let point = 0; point < POINTS;) {
      const digit = part % 3;
      if (digit === 1) mine |= 1 << point;
      else if (digit === 2) theirs |= 1 << point;
      part = (part - digit) / 3;
      point += 1;
      if (point % 9 === 0) {
        part = rest % NINE;
        rest = (rest - part) / NINE;
      }
    }
    const ko = Math.floor(number / KO);
    keys[2 * k] = mine | (theirs << 25);
    keys[2 * k + 1] = (theirs >>> 7) | (ko << 18) | (left << 23);
  }
  return keys;
}

/** @param {number} left @param {Uint8Array} codes @param {Uint8Array} odd */
function valuesOf(left, codes, odd) {
  const enough = left % 2 ? -2 : 3;
  const pack = (low, high, move) => (low + 25) | ((high + 25) << 6) | ((move + 1) << 12);
  const usual = [pack(-25, enough - 1, -1)];
  for (let move = -1; move <= POINTS; move++) usual.push(pack(enough, 25, move));
  const values = new Uint32Array(codes.length);
  let at = 0;
  codes.forEach((code, k) => {
    values[k] = code === ODD ? odd[at++] | (odd[at++] << 8) | (odd[at++] << 16) : usual[code];
  });
  return values;
}
