// kernel.wasm in a browser's worker or in node: whether a side reaches a margin, from the boards up to 5x5.
//
// The file describes itself in a section of its own: what it exports, and how its memory is laid out. A board up to 5x5
// lies in the top left of a frame of 5x5, point 5 * row + column, as in littlego/kernel/words.py.

/**
 * A position from the side of the player to move. Stones are masks of the frame; `ko` is a point of it, or null.
 * @typedef {{ mine: number, theirs: number, ko: number | null, left: number }} Spot
 */

/** The kernel stopped, has no memory, or is not what it should be: no answer, rather than a wrong one. */
export class KernelError extends Error {}

/** No answer within the nodes that were allowed; the table keeps what was found. */
export class OutOfNodes extends Error {}

const PAGE = 65536;
const FIRST_PAGES = 256;
const OTHER_BYTES = 1 << 23;
const MOST_BYTES = 2 ** 32;
const SLICE = 1 << 16;
const SAMPLE = 4096;
const BATCH = 4096;
const NO_LOG = 1n << 60n;

/** The compiled code and what it says of itself. @param {BufferSource} bytes the content of kernel.wasm */
export async function compile(bytes) {
  let module;
  try {
    module = await WebAssembly.compile(bytes);
  } catch (error) {
    throw new KernelError(`kernel.wasm: expected WebAssembly: ${error}`);
  }
  const [section] = WebAssembly.Module.customSections(module, "littlego");
  if (!section) throw new KernelError("kernel.wasm: expected a section 'littlego' at its end");
  const { layout, exports, structures } = JSON.parse(new TextDecoder().decode(section));
  return { module, layout, exports, structures };
}

/** The kernel with memory of its own, in which room is made and never freed. */
export class Heap {
  /** @param {{ module: WebAssembly.Module }} compiled @param {number} bytes the most that it may grow to */
  constructor({ module }, bytes) {
    const pages = Math.ceil(bytes / PAGE);
    try {
      this.memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: Math.max(pages, FIRST_PAGES) });
    } catch {
      throw new KernelError("no memory for the solver: close other pages and load this one again");
    }
    this.exports = /** @type {any} */ (new WebAssembly.Instance(module, { env: { memory: this.memory } }).exports);
    this.top = this.exports.__heap_base.value;
  }

  /** The address of so many bytes, all 0. @param {number} size */
  allocate(size) {
    const start = (this.top + 63) & ~63;
    this.reach(start + size);
    this.top = start + size;
    return start;
  }

  /** Grow until addresses below `end` exist. @param {number} end */
  reach(end) {
    const missing = end - this.memory.buffer.byteLength;
    if (missing <= 0) return;
    try {
      this.memory.grow(Math.ceil(missing / PAGE));
    } catch {
      throw new KernelError(`no memory for the solver: ${Math.ceil(end / 2 ** 20)} MiB are more than there is`);
    }
  }

  /**
   * The address of a structure's words, in the order in which the kernel describes them. Arrays that are not given are
   * scratch that is not needed, and empty.
   * @param {string[]} described
   * @param {Record<string, any>} given
   */
  put(described, given) {
    const words = [];
    for (const field of described) {
      const [name, kind] = field.split(" ");
      const dimensions = kind.split("[]").length - 1;
      const value = given[name] ?? (dimensions ? { shape: Array(dimensions).fill(0) } : undefined);
      if (value === undefined || (value.shape?.length ?? 0) !== dimensions)
        throw new KernelError("kernel.wasm belongs to another version of littlego: load the page again");
      if (dimensions) words.push(...[value.address ?? this.placed(value.numbers), ...value.shape].map(BigInt));
      else words.push(kind === "float" ? new BigInt64Array(Float64Array.of(value).buffer)[0] : BigInt(value));
    }
    return this.placed(BigInt64Array.from(words));
  }

  /** The address of a copy. @param {any} numbers an array of numbers of one kind */
  placed(numbers) {
    if (!numbers) return 0;
    const address = this.allocate(numbers.byteLength);
    new numbers.constructor(this.memory.buffer, address, numbers.length).set(numbers);
    return address;
  }

  /** Words at an address, until the memory grows. @param {number} address @param {number} count */
  words(address, count) {
    return new BigInt64Array(this.memory.buffer, address, count);
  }

  /** Call an export. @param {string} name @param {...(number | bigint)} args @returns {number} */
  call(name, ...args) {
    try {
      return this.exports[name](...args);
    } catch (error) {
      throw new KernelError(`the kernel stopped in ${name}: ${error}`);
    }
  }
}

/** Answers for one board size, with one table. */
export class Engine extends Heap {
  /**
   * @param {{ module: WebAssembly.Module, layout: Record<string, number> }} compiled
   * @param {{ size?: number, tableBytes?: number }} [options] `tableBytes` bounds the table
   */
  constructor({ module, layout }, { size = 5, tableBytes = 1 << 28 } = {}) {
    super({ module }, Math.min(tableBytes, MOST_BYTES - OTHER_BYTES) + OTHER_BYTES);
    this.layout = layout;
    this.size = size;
    /** The points of the frame that exist. */
    this.board = 0;
    for (let row = 0; row < size; row++) this.board |= ((1 << size) - 1) << (layout.side * row);
    this.guesses = false;
    /** Nodes of all searches so far. */
    this.nodes = 0;
    /** So many nodes may be searched before the table is looked at again. */
    this.roomFor = 0;
    this.frames = this.allocate(8 * layout.frame_words * layout.most_plies);
    this.state = this.allocate(8 * layout.state_words);
    this.work = this.allocate(8 * layout.work_words);
    this.log = this.allocate(8 * layout.log_words);
    this.busy = this.allocate(8 << layout.busy_bits);
    this.control = this.allocate(64);
    this.staged = this.allocate(16 * BATCH);
    this.weights = this.allocate(2 * layout.guess_weights);
    this.bits = layout.least_bits;
    this.table = this.allocate((8 * layout.slots) << this.bits);
    this.mostBits = Math.floor(Math.log2(Math.max(tableBytes / (8 * layout.slots), 1 << this.bits)));
  }

  /** Let the table grow, within its bound, until it is at most half full, counting `entries` to come twice. */
  makeRoom(entries = 0) {
    const { slots } = this.layout;
    const used = this.words(this.table, SAMPLE).reduce((n, word) => n + (word === 0n ? 0 : 1), 0) / SAMPLE;
    const wanted = used * slots * 2 ** this.bits + 2 * entries;
    while (this.bits < this.mostBits && wanted > slots * 2 ** (this.bits - 1)) {
      try {
        this.reach(this.table + 8 * slots * 2 ** (this.bits + 1));
      } catch {
        this.mostBits = this.bits; // a full table is slower, and no less true
        return;
      }
      this.call("table_double", this.table, this.bits);
      this.bits += 1;
    }
  }

  /** Use the guess at who wins, which orders early moves. @param {Int8Array} weights those of all sets in a row */
  learnGuess(weights) {
    const sets = weights.length / this.layout.guess_set;
    const found = new Int16Array(this.memory.buffer, this.weights, this.layout.guess_weights);
    if (weights.length !== found.length)
      throw new KernelError(`guess.bin: ${weights.length} weights: expected ${found.length}`);
    for (let k = 0; k < weights.length; k++)
      found[(k % sets) * this.layout.guess_set + Math.floor(k / sets)] = weights[k];
    this.guesses = this.size === this.layout.side;
  }

  /** Put proven entries into the table. @param {import("./data.js").Layer} layer of this size */
  teach({ keys, values }) {
    this.makeRoom(values.length);
    for (let start = 0; start < values.length; start += BATCH) {
      const count = Math.min(BATCH, values.length - start);
      new Uint32Array(this.memory.buffer, this.staged, 2 * count).set(keys.subarray(2 * start, 2 * (start + count)));
      const words = new Uint32Array(this.memory.buffer, this.staged + 8 * BATCH, 2 * count).fill(0);
      for (let k = 0; k < count; k++) words[2 * k] = values[start + k];
      this.call("table_store_all", this.table, this.bits, this.staged, this.staged + 8 * BATCH, count);
    }
  }

  /**
   * What is known of a position without searching: its least and greatest margin, and the move that reaches the least.
   * @param {Spot} spot
   */
  known({ mine, theirs, ko, left }) {
    const of = this.layout;
    const value = this.call("table_value", this.table, this.bits, mine, theirs, ko ?? of.no_ko, left, this.board);
    if (!value) return { low: -of.margin, high: of.margin, move: null };
    const move = ((value >> 12) & 31) - 1;
    return { low: (value & 63) - of.margin, high: ((value >> 6) & 63) - of.margin, move: move < 0 ? null : move };
  }

  /**
   * Whether the side to move can end with at least `target` stones more than the opponent.
   * @param {Spot} spot
   * @param {number} target
   * @param {{ mostNodes?: number, seek?: boolean, pause?: () => Promise<void> | void }} [options] `pause` is awaited
   *   between slices of the search, and stops it by an error; `seek` searches even if the answer is known to be yes, for
   *   a move that reaches the target
   */
  async reaches(spot, target, { mostNodes = Infinity, seek = false, pause } = {}) {
    if (this.searching) throw new KernelError("the kernel is asked two questions at once");
    const of = this.layout;
    const frames = this.words(this.frames, of.frame_words * of.most_plies).fill(0n);
    frames[of.frame_mine] = BigInt(spot.mine);
    frames[of.frame_theirs] = BigInt(spot.theirs);
    frames[of.frame_ko] = BigInt(spot.ko ?? of.no_ko);
    frames[of.frame_target] = BigInt(target);
    const state = this.words(this.state, of.state_words).fill(0n);
    state[of.state_left] = BigInt(spot.left);
    state[of.state_board] = BigInt(this.board);
    state[of.state_threads] = 1n;
    state[of.state_log_effort] = NO_LOG;
    state[of.state_prune] = 1n;
    state[of.state_seek] = seek ? 1n : 0n;
    state[of.state_guess_left] = BigInt(this.firstGuess(spot));
    const before = this.nodes;
    this.searching = true;
    try {
      for (;;) {
        const spent = this.nodes - before;
        if (spent >= mostNodes) throw new OutOfNodes(`no answer within ${mostNodes} nodes`);
        if (this.nodes >= this.roomFor) {
          this.makeRoom();
          this.roomFor = this.nodes + SLICE;
        }
        const result = this.slice(Math.min(SLICE, mostNodes - spent));
        this.nodes = before + Number(this.words(this.state, of.state_words)[of.state_nodes]);
        if (result !== of.result_stopped) return result === of.result_won;
        await pause?.();
      }
    } finally {
      this.searching = false;
    }
  }

  /** @param {number} budget */
  slice(budget) {
    const { frames, state, work, log, table, bits, busy, control, weights } = this;
    const words = this.layout.log_words;
    return this.call("search_slice", frames, state, work, log, words, table, bits, busy, control, weights, budget);
  }

  /** The share of the first plies' moves that the running search has tried: a guess at how far it is. */
  shareDone() {
    const of = this.layout;
    const frames = this.words(this.frames, of.frame_words * of.most_plies);
    let share = 0;
    let weight = 1;
    for (let ply = 0; ply < 4; ply++) {
      const count = Number(frames[ply * of.frame_words + of.frame_count]);
      const next = Number(frames[ply * of.frame_words + of.frame_next]);
      if (count < 2 || next < 1 || next > count) continue;
      share += (weight * (next - 1)) / count;
      weight /= count;
    }
    return share;
  }

  /**
   * With how many plies left a search begins to guess; the guess is for games of full length on the whole board.
   * @param {Spot} spot
   */
  firstGuess(spot) {
    const played = popcount(spot.mine | spot.theirs) + spot.left;
    const full = played >= this.layout.guess_game - 3 && played <= this.layout.guess_game;
    return this.guesses && full ? this.layout.guess_least_left : this.layout.most_plies;
  }
}

/** @param {number} mask */
export function popcount(mask) {
  let n = 0;
  for (; mask; mask &= mask - 1) n += 1;
  return n;
}
