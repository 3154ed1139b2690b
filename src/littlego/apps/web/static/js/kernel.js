// The host of kernel.wasm in a browser's worker or in node: exact answers, without a server.
//
// The file describes itself in a section of its own: what it exports, and how its memory is laid out. A board up to 5x5
// lies in the top left of a frame of 5x5, point 5 * row + column, as in littlego/kernel/frame.py.

/**
 * A position from the side of the player to move. Stones are masks of the frame; `ko` is a point of it, or null.
 * @typedef {{ mine: number, theirs: number, ko: number | null, left: number }} Spot
 */

/** The kernel stopped, has no memory, or is not what it should be: no answer, rather than a wrong one. */
export class KernelError extends Error {}

const PAGE = 65536;
const FIRST_PAGES = 256;
const SLICE = 1 << 18;
const SAMPLE = 4096;
const NO_LOG = 1n << 60n;

/** Answers for one board size, with one table. */
export class Kernel {
  /**
   * @param {BufferSource} bytes the content of kernel.wasm
   * @param {{ size?: number, tableBytes?: number, weights?: Int16Array }} [options] `tableBytes` bounds the table;
   *   without the `weights` of the guess at who wins, early positions of 5x5 take longer
   * @returns {Promise<Kernel>}
   */
  static async load(bytes, { size = 5, tableBytes = 1 << 28, weights } = {}) {
    let module;
    try {
      module = await WebAssembly.compile(bytes);
    } catch (error) {
      throw new KernelError(`kernel.wasm: expected WebAssembly: ${error}`);
    }
    const [section] = WebAssembly.Module.customSections(module, "littlego");
    if (!section) throw new KernelError("kernel.wasm: expected a section 'littlego'");
    const described = JSON.parse(new TextDecoder().decode(section));
    const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: 65536 });
    const instance = await WebAssembly.instantiate(module, { env: { memory } });
    return new Kernel(instance.exports, memory, described.layout, size, tableBytes, weights);
  }

  /**
   * @param {Record<string, any>} exports
   * @param {WebAssembly.Memory} memory
   * @param {Record<string, number>} layout
   * @param {number} size
   * @param {number} tableBytes
   * @param {Int16Array | undefined} weights
   */
  constructor(exports, memory, layout, size, tableBytes, weights) {
    this.exports = exports;
    this.memory = memory;
    this.layout = layout;
    /** The points of the frame that exist. */
    this.board = 0;
    for (let row = 0; row < size; row++) this.board |= ((1 << size) - 1) << (layout.side * row);
    this.guesses = weights !== undefined && size === layout.side;
    /** Nodes of all searches so far. */
    this.nodes = 0;
    this.top = exports.__heap_base.value;
    this.frames = this.allocate(8 * layout.frame_words * layout.most_plies);
    this.state = this.allocate(8 * layout.state_words);
    this.work = this.allocate(8 * layout.work_words);
    this.log = this.allocate(8 * layout.log_words);
    this.busy = this.allocate(8 << layout.busy_bits);
    this.control = this.allocate(64);
    this.weights = this.allocate(2 * layout.guess_weights);
    if (weights) new Int16Array(memory.buffer, this.weights, layout.guess_weights).set(weights);
    this.bits = layout.least_bits;
    this.table = this.allocate((8 * layout.slots) << this.bits);
    this.mostBits = Math.floor(Math.log2(Math.max(tableBytes / (8 * layout.slots), 1 << this.bits)));
  }

  /**
   * The address of so many bytes, all 0.
   * @param {number} size
   */
  allocate(size) {
    const start = (this.top + 63) & ~63;
    this.reach(start + size);
    this.top = start + size;
    return start;
  }

  /**
   * Grow until addresses below `end` exist.
   * @param {number} end
   */
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
   * Words at an address, until the memory grows.
   * @param {number} address
   * @param {number} count
   */
  words(address, count) {
    return new BigInt64Array(this.memory.buffer, address, count);
  }

  /**
   * Call an export.
   * @param {string} name
   * @param {...(number | bigint)} args
   * @returns {number}
   */
  call(name, ...args) {
    try {
      return this.exports[name](...args);
    } catch (error) {
      throw new KernelError(`the kernel stopped in ${name}: ${error}`);
    }
  }

  /** Let the table grow, within its bound, while it is more than half full. */
  makeRoom() {
    while (this.bits < this.mostBits) {
      const used = this.words(this.table, SAMPLE).reduce((n, word) => n + (word === 0n ? 0 : 1), 0);
      if (2 * used <= SAMPLE) return;
      this.reach(this.table + 8 * this.layout.slots * 2 ** (this.bits + 1));
      this.call("table_double", this.table, this.bits);
      this.bits += 1;
    }
  }

  /**
   * Whether the side to move can end with at least `target` stones more than the opponent.
   * @param {Spot} spot
   * @param {number} target
   */
  reaches(spot, target) {
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
    state[of.state_guess_left] = BigInt(this.firstGuess(spot));
    let result;
    do {
      this.makeRoom();
      result = this.call(
        "search_slice",
        this.frames,
        this.state,
        this.work,
        this.log,
        of.log_words,
        this.table,
        this.bits,
        this.busy,
        this.control,
        this.weights,
        SLICE,
      );
    } while (result === of.result_stopped);
    this.nodes += Number(this.words(this.state, of.state_words)[of.state_nodes]);
    return result === of.result_won;
  }

  /**
   * By how many stones more than the opponent the side to move ends with best play of both.
   * @param {Spot} spot
   */
  margin(spot) {
    let low = -this.layout.margin;
    let high = this.layout.margin;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.reaches(spot, middle)) low = middle;
      else high = middle - 1;
    }
    return low;
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
function popcount(mask) {
  let n = 0;
  for (; mask; mask &= mask - 1) n += 1;
  return n;
}
