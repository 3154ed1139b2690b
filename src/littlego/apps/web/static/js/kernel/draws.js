// Random choices that follow from a player's seed and the number of the move alone: a game can be continued from any of
// its positions. The generator is splitmix64.

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
