// Random choices that follow from a player's seed and the number of the move alone, as `Draws` of
// littlego/players/course.py: a game can be continued from any of its positions, and is the same in Python. The generator
// is splitmix64.

const WORD = (/** @type {bigint} */ number) => BigInt.asUintN(64, number);
const STEP = 0x9e3779b97f4a7c15n;

/** What a player draws for one move. */
export class Draws {
  /** @param {number | bigint | string} seed a whole number @param {number} movesPlayed */
  constructor(seed, movesPlayed) {
    this.place = mixed(WORD(BigInt(seed) + STEP)) + (BigInt(movesPlayed) << 32n);
  }

  /** A whole number from 0 to n - 1; each is equally likely. @param {number} n */
  below(n) {
    this.place += 1n;
    return Number(((mixed(WORD(this.place * STEP)) >> 32n) * BigInt(n)) >> 32n);
  }

  /** @template T @param {T[]} items @returns {T} */
  choice(items) {
    return items[this.below(items.length)];
  }

  /** An item, as likely as its weight says. @template T @param {[T, number][]} weights @returns {T} */
  weighted(weights) {
    let drawn = this.below(weights.reduce((sum, [, weight]) => sum + weight, 0));
    const found = weights.find(([, weight]) => (drawn -= weight) < 0);
    if (!found) throw new Error("no weights to draw from");
    return found[0];
  }

  /** @template T @param {T[]} items @returns {T[]} */
  shuffled(items) {
    const rest = [...items];
    return items.map(() => rest.splice(this.below(rest.length), 1)[0]);
  }
}

/** @param {bigint} word */
function mixed(word) {
  word = WORD((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n);
  word = WORD((word ^ (word >> 27n)) * 0x94d049bb133111ebn);
  return word ^ (word >> 31n);
}

const SEED_BITS = 53n;
const HALF = (/** @type {number} */ number) => Math.floor((number % 1) * 2 ** 32) | 0;
const PRIMES = [...Array(312).keys()].filter((n) => n > 1 && ![...Array(n).keys()].some((k) => k > 1 && n % k === 0));

/**
 * A seed for the part of a plan that `labels` name, as `derive_seed` of littlego/core/game.py: the first bits of SHA-256.
 * Browsers have their own only on encrypted pages.
 * @param {number | bigint | string} seed
 * @param {...(number | string)} labels
 */
export function deriveSeed(seed, ...labels) {
  const text = new TextEncoder().encode([seed, ...labels].join("/"));
  const bytes = new DataView(new ArrayBuffer(64 * Math.ceil((text.length + 9) / 64)));
  text.forEach((byte, at) => bytes.setUint8(at, byte));
  bytes.setUint8(text.length, 128);
  bytes.setUint32(bytes.byteLength - 4, 8 * text.length);
  const hash = PRIMES.slice(0, 8).map((prime) => HALF(Math.sqrt(prime)));
  for (let block = 0; block < bytes.byteLength; block += 64) digest(hash, bytes, block);
  const [high, low] = hash.map((word) => BigInt(word >>> 0));
  return ((high << 32n) | low) >> (64n - SEED_BITS);
}

/** Add 64 bytes to a hash. @param {number[]} hash @param {DataView} bytes @param {number} block */
function digest(hash, bytes, block) {
  const turned = (word, by) => (word >>> by) | (word << (32 - by));
  const words = Array.from({ length: 16 }, (_, k) => bytes.getInt32(block + 4 * k));
  let [a, b, c, d, e, f, g, h] = hash;
  for (let k = 0; k < 64; k++) {
    if (k > 15) {
      const [near, far] = [words[k - 2], words[k - 15]];
      const of = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
      words[k] = (words[k - 16] + of + words[k - 7] + (turned(near, 17) ^ turned(near, 19) ^ (near >>> 10))) | 0;
    }
    const chosen = (e & f) ^ (~e & g);
    const added =
      (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + HALF(Math.cbrt(PRIMES[k])) + words[k]) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b] = [g, f, e, (d + added) | 0, c, b, a];
    a = (added + (turned(b, 2) ^ turned(b, 13) ^ turned(b, 22)) + majority) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, k) => (hash[k] = (hash[k] + word) | 0));
}
