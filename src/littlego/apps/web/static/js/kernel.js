// Exact values without a server: the kernel in a worker, for pages.
//
//   const kernel = new Kernel();                                    // one for all pages; nothing is loaded yet
//   const answer = await kernel.values(position, { leads: true });  // of all moves
//   const stop = kernel.follow(position, { leads: true }, take, fail);
//
//   const move = await kernel.choose("greedy", position, { seed });
//
// A `position` is one of go/position.js. An answer has the fields of `Values` in kernel/oracle.js:
// `to_move`, `value` ("black", "white", "tie", "unknown"), `values` and `leads` by move, `missing`, `words`.
// `follow` calls `take` with what is known at once and then whenever there is more; the last time `state` is "settled".
// Who wins comes first, then by how much, with at most 16 plies left. Errors are of the class KernelError; one whose
// `isUse` is true says why a position cannot be solved, as littlego/solve/oracle.py does.

/** What the kernel could not answer. */
export class KernelError extends Error {
  /** @param {{ name: string, text: string }} failure */
  constructor({ name, text }) {
    super(text);
    this.isUse = name === "UsageError";
  }
}

/** @typedef {import("./go/position.js").Position} Position */
/** @typedef {import("./kernel/oracle.js").Values} Values */

export class Kernel {
  /** @param {{ port?: any }} [options] a port to the worker, for tests */
  constructor({ port } = {}) {
    this.given = port;
    this.last = 0;
    /** @type {Map<number, { take: (told: any) => void, done: (result: any) => void, fail: (error: Error) => void }>} */
    this.jobs = new Map();
  }

  /** @returns {any} */
  get port() {
    if (!this.started) {
      this.started = this.given ?? new Worker(new URL("./kernel/start.js", import.meta.url), { type: "module" });
      this.started.onmessage = ({ data }) => this.receive(data);
      this.started.onerror = (event) =>
        this.fail(`the kernel cannot be started: ${event.message ?? "its worker failed"}`);
    }
    return this.started;
  }

  /** @param {{ id: number, told?: any, done?: any, failed?: { name: string, text: string } }} message */
  receive({ id, told, done, failed }) {
    const job = this.jobs.get(id);
    if (!job) return;
    if (told !== undefined) return job.take(told);
    this.jobs.delete(id);
    if (failed) job.fail(new KernelError(failed));
    else job.done(done);
  }

  /** All jobs fail, and the next one starts another worker. @param {string} text */
  fail(text) {
    const failed = [...this.jobs.values()];
    this.jobs.clear();
    this.started?.terminate?.();
    this.started = null;
    failed.forEach((job) => job.fail(new KernelError({ name: "KernelError", text })));
  }

  /**
   * Start a job; `signal` stops it, and rejects with its reason.
   * @param {string} ask
   * @param {any} body
   * @param {{ take?: (told: any) => void, signal?: AbortSignal }} [options]
   * @returns {Promise<any>}
   */
  ask(ask, body, { take = () => {}, signal } = {}) {
    const id = ++this.last;
    return new Promise((done, fail) => {
      if (signal?.aborted) return fail(signal.reason);
      this.jobs.set(id, { take, done, fail });
      this.port.postMessage({ id, ask, ...body });
      signal?.addEventListener("abort", () => {
        if (!this.jobs.delete(id)) return;
        this.port.postMessage({ id, stop: true });
        fail(signal.reason);
      });
    });
  }

  /**
   * The values of all moves of a position.
   * @param {Position} position
   * @param {{ leads?: boolean, take?: (answer: Values) => void, signal?: AbortSignal }} [options]
   * @returns {Promise<Values>}
   */
  values(position, { leads = false, ...options } = {}) {
    return this.ask("values", { position, leads }, options);
  }

  /**
   * Who wins a position. With `known` nothing is searched, and what the atlas does not tell is null.
   * @param {Position} position
   * @param {{ known?: boolean, signal?: AbortSignal }} [options]
   * @returns {Promise<"black" | "white" | "tie" | null>}
   */
  value(position, { known = false, ...options } = {}) {
    return this.ask("value", { position, known }, options);
  }

  /** Black's stones minus White's if both play for the margin, without komi. @returns {Promise<number>} */
  margin(/** @type {Position} */ position, /** @type {{ signal?: AbortSignal }} */ options = {}) {
    return this.ask("margin", { position }, options);
  }

  /** A winning move; null if there is none. @returns {Promise<string | null>} */
  winningMove(/** @type {Position} */ position, /** @type {{ signal?: AbortSignal }} */ options = {}) {
    return this.ask("winning", { position }, options);
  }

  /**
   * The move of a built-in player: random, greedy, aggressive, smart, qlearning, alphabeta, learner, champion or perfect.
   * The same seed gives the same game in any browser: the draws of a move follow from the seed and the number of the
   * move alone.
   * @param {string} name
   * @param {Position} position
   * @param {{ seed?: number | bigint | string, signal?: AbortSignal }} [options]
   * @returns {Promise<string>}
   */
  choose(name, position, { seed = 0, signal } = {}) {
    return this.ask("choose", { name, position, seed }, { signal });
  }

  /**
   * Prove who wins a position, without the atlas: see kernel/proof.js. It takes a worker of its own, so that others need
   * not wait for it: give it a kernel that is ended afterwards.
   * @param {Position} position
   * @param {{ take?: (told: import("./kernel/proof.js").Told) => void, signal?: AbortSignal }} options
   * @returns {{ done: Promise<import("./kernel/proof.js").Told>, hold: (on: boolean) => void }} `hold` pauses it, or lets it go on
   */
  prove(position, options = {}) {
    const done = this.ask("prove", { position }, options);
    const id = this.last;
    return { done, hold: (on) => this.port.postMessage({ id, hold: on }) };
  }

  /**
   * Train a learner, tictactoe or littlego: see kernel/tictactoe.js and kernel/training.js. `take` is told how good it is
   * as it learns.
   * @param {"tictactoe" | "littlego"} lesson
   * @param {import("./kernel/training.js").Settings} settings
   * @param {{ take?: (measure: any) => void, signal?: AbortSignal }} [options]
   */
  learn(lesson, settings, options) {
    return this.ask("learn", { lesson, settings }, options);
  }

  /**
   * By move the chance, 0 to 1, that the side to move wins, as the learner sees it that was trained here, or else the one
   * that ships.
   * @param {Position} position
   * @returns {Promise<Record<string, number>>}
   */
  think(position) {
    return this.ask("think", { position });
  }

  /** Give back the worker and its memory. */
  end() {
    this.fail("ended");
  }

  /**
   * The same values, told to `take` as it becomes known. Returns how to stop.
   * @param {Position} position
   * @param {{ leads?: boolean }} options
   * @param {(answer: Values) => void} take
   * @param {(error: Error) => void} fail
   */
  follow(position, options, take, fail) {
    const stopping = new AbortController();
    this.values(position, { ...options, take, signal: stopping.signal }).then(take, (error) => {
      if (!stopping.signal.aborted) fail(error);
    });
    return () => stopping.abort();
  }
}
