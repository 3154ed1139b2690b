// Animated pictures: a GIF from frames of a canvas, with one palette for all of them.
//
//   const gif = encodeGif({ width, height, frames: [{ pixels, delay }] });     pixels: RGBA, delay: hundredths of a second

const MOST_COLOURS = 256;

export function encodeGif({ width, height, frames }) {
  const palette = paletteOf(frames);
  const out = new Bytes();
  out.text("GIF89a");
  out.short(width, height);
  out.byte(0xf7, 0, 0); // a palette of 256 colours, for all frames
  for (let k = 0; k < MOST_COLOURS; k++) {
    const colour = palette.colours[k] ?? 0;
    out.byte(colour >> 16, (colour >> 8) & 255, colour & 255);
  }
  out.byte(0x21, 0xff, 11);
  out.text("NETSCAPE2.0");
  out.byte(3, 1, 0, 0, 0); // again and again
  for (const { pixels, delay } of frames) {
    out.byte(0x21, 0xf9, 4, 4);
    out.short(delay);
    out.byte(0, 0, 0x2c);
    out.short(0, 0, width, height);
    out.byte(0, 8);
    out.blocks(compressed(palette.indices(pixels)));
  }
  out.byte(0x3b);
  return out.whole();
}

// The most frequent colours, five bits a channel; rarer ones take the nearest of them.
function paletteOf(frames) {
  const counts = new Map();
  const coarse = (pixels, at) => ((pixels[at] >> 3) << 10) | ((pixels[at + 1] >> 3) << 5) | (pixels[at + 2] >> 3);
  for (const { pixels } of frames)
    for (let at = 0; at < pixels.length; at += 4) {
      const key = coarse(pixels, at);
      const known = counts.get(key);
      if (known) known.count += 1;
      else counts.set(key, { count: 1, colour: (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2] });
    }
  const ranked = [...counts].sort((one, other) => other[1].count - one[1].count);
  const colours = ranked.slice(0, MOST_COLOURS).map(([, { colour }]) => colour);
  const places = new Map(ranked.map(([key, { colour }], k) => [key, k < MOST_COLOURS ? k : nearest(colours, colour)]));
  const indices = (pixels) => {
    const found = new Uint8Array(pixels.length / 4);
    for (let k = 0; k < found.length; k++) found[k] = places.get(coarse(pixels, 4 * k));
    return found;
  };
  return { colours, indices };
}

function nearest(colours, colour) {
  const channel = (value, shift) => (value >> shift) & 255;
  const far = (one) => [16, 8, 0].reduce((sum, at) => sum + (channel(one, at) - channel(colour, at)) ** 2, 0);
  return colours.reduce((best, one, k) => (far(one) < far(colours[best]) ? k : best), 0);
}

// The variable-length codes of GIF: known runs of indices get codes of their own, until the table is full.
function compressed(indices) {
  const [clear, end] = [256, 257];
  const out = new Bytes();
  let bits = 0;
  let waiting = 0;
  let width = 9;
  let next = end + 1;
  let table = new Map();
  const write = (code) => {
    bits |= code << waiting;
    for (waiting += width; waiting >= 8; waiting -= 8) {
      out.byte(bits & 255);
      bits >>>= 8;
    }
  };
  write(clear);
  let run = indices[0];
  for (let k = 1; k < indices.length; k++) {
    const key = (run << 8) | indices[k];
    const known = table.get(key);
    if (known !== undefined) {
      run = known;
      continue;
    }
    write(run);
    if (next === 4096) {
      write(clear);
      [width, next, table] = [9, end + 1, new Map()];
    } else {
      if (next === 1 << width) width += 1;
      table.set(key, next++);
    }
    run = indices[k];
  }
  write(run);
  write(end);
  if (waiting) out.byte(bits & 255);
  return out.whole();
}

class Bytes {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;

  byte(...values) {
    for (const value of values) {
      if (this.#length === this.#bytes.length) {
        const larger = new Uint8Array(2 * this.#length);
        larger.set(this.#bytes);
        this.#bytes = larger;
      }
      this.#bytes[this.#length++] = value;
    }
  }

  short(...values) {
    for (const value of values) this.byte(value & 255, value >> 8);
  }

  text(text) {
    this.byte(...[...text].map((letter) => letter.charCodeAt(0)));
  }

  // Data in blocks of at most 255 bytes, each after its length, and an empty one at the end.
  blocks(data) {
    for (let at = 0; at < data.length; at += 255) {
      const block = data.subarray(at, at + 255);
      this.byte(block.length, ...block);
    }
    this.byte(0);
  }

  whole() {
    return this.#bytes.slice(0, this.#length);
  }
}
