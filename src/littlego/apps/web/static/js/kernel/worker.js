// The worker that thinks for the pages; kernel.js asks it. A message {id, ask, ...} starts a job, which tells {id, told}
// as it goes and ends with {id, done} or {id, failed}; {id, stop} stops it, {id, hold} pauses it or lets it go on.

import { Engine, compile } from "./engine.js";
import { guessWeights, layers, learnedModel } from "./data.js";
import { LEARNED, Learned, MODELS, chooseLearned, plays } from "./learned.js";
import { Oracle, UsageError } from "./oracle.js";
import { choosePerfect } from "./perfect.js";
import { AT_ONCE, chooseAtOnce } from "./players.js";
import { Position } from "../go/position.js";

const SIDE = 5;
const SMALL_TABLE = 1 << 26;
/** With so many plies left a search takes less time than fetching the atlas. */
const QUICK_LEFT = 12;
/** With fewer plies left not every value is in the atlas. */
const FIRST_SEARCH = 19;
/** Milliseconds between looks at what the page says. */
const BREATH = 20;

/** A job was stopped by the page. */
class Stopped extends Error {}
/** A search gives way to a more urgent one; it is asked again. */
class GivesWay extends Error {}

/** The kernel's files, read once, and an engine for each size. */
class Library {
  /** @param {(name: string) => Promise<ReadableStream<any>>} open @param {number} tableBytes */
  constructor(open, tableBytes) {
    this.open = open;
    this.tableBytes = tableBytes;
    /** @type {Map<number, Engine>} */
    this.engines = new Map();
    /** With fewer plies left the atlas has not been read yet. */
    this.readTo = 32;
    this.reads = false;
    /** @type {Array<() => void>} */
    this.waiting = [];
    /** @type {Map<string, Promise<import("./data.js").Model>>} */
    this.models = new Map();
    /** @type {Map<string, Learned>} */
    this.learned = new Map();
    /** @type {Learned | null} */
    this.trained = null;
  }

  /** What a question about a position needs: the code, and far from the end what makes the search quick. */
  async ready(/** @type {Position} */ { rules, left }) {
    await this.load();
    if (rules.size !== SIDE || left <= QUICK_LEFT) return;
    if (!this.reads) this.read();
    while (this.readTo > left - 1) await new Promise((resolve) => this.waiting.push(() => resolve(null)));
  }

  async load() {
    this.compiled ??= this.compile();
    await this.compiled.catch((error) => {
      this.compiled = null; // the next question tries again
      throw error;
    });
  }

  /** What has been learned about a game, or null. A model is fetched when it is first wanted. @param {any} rules */
  async learnedOf(rules) {
    const name = MODELS[rules.size];
    if (!name) return null;
    await this.load();
    const reading = this.models.get(name) ?? this.open(name).then(learnedModel);
    this.models.set(name, reading);
    const model = await reading.catch((error) => {
      this.models.delete(name); // the next question tries again
      throw error;
    });
    if (!plays(model, rules)) return null;
    const game = JSON.stringify([rules.size, rules.passing, rules.ko]);
    const learned = this.learned.get(game) ?? new Learned(this.code, model, rules);
    this.learned.set(game, learned);
    return learned;
  }

  async compile() {
    const stream = await this.open("kernel.wasm");
    this.code = await compile(await new Response(stream).arrayBuffer());
  }

  /** Teach the engine for 5x5 what the atlas and the guess know; without them it is slower, and no less right. */
  async read() {
    this.reads = true;
    const engine = this.engineOf(SIDE);
    const failed = (error) => console.warn(`the atlas cannot be read: ${error}`);
    const guess = this.open("guess.bin")
      .then(guessWeights)
      .then((weights) => engine.learnGuess(weights))
      .catch(failed);
    try {
      for await (const layer of layers(await this.open("atlas.bin"))) {
        engine.teach(layer);
        // The atlas knows the opening whole; the first search comes after it.
        if (layer.left < FIRST_SEARCH) await guess;
        this.hasRead(layer.left);
      }
    } catch (error) {
      failed(error);
    }
    await guess;
    this.hasRead(0);
  }

  /** @param {number} left */
  hasRead(left) {
    this.readTo = left;
    this.waiting.splice(0).forEach((go) => go());
  }

  /** @param {number} size */
  engineOf(size) {
    const engine = this.engines.get(size) ?? this.newEngine(size);
    this.engines.set(size, engine);
    return engine;
  }

  /** @param {number} size */
  newEngine(size) {
    if (!this.code) throw new Error("the kernel is not loaded yet");
    return new Engine(this.code, { size, tableBytes: size === SIDE ? this.tableBytes : SMALL_TABLE });
  }

  /** One that knows nothing, but guesses. @param {number} size */
  async emptyEngine(size) {
    await this.load();
    const engine = this.newEngine(size);
    if (size === SIDE) engine.learnGuess(await this.open("guess.bin").then(guessWeights));
    return engine;
  }
}

/** One search at a time: the most urgent question first, of equals the newest. */
class Turns {
  constructor() {
    /** @type {any} */
    this.running = null;
    /** @type {{ job: any, go: () => void }[]} */
    this.waiting = [];
    this.breathed = 0;
  }

  /** Let messages come in, now and then. @param {any} job */
  async breathe(job) {
    if (performance.now() - this.breathed > BREATH) {
      await new Promise((resolve) => setTimeout(resolve));
      this.breathed = performance.now();
    }
    await job.held;
    if (job.stopped) throw new Stopped();
  }

  /**
   * Ask a question for a job when it is its turn.
   * @template T
   * @param {any} job
   * @param {(pause: () => Promise<void>) => Promise<T>} question
   * @returns {Promise<T>}
   */
  async ask(job, question) {
    for (;;) {
      await this.breathe(job);
      while (this.running || this.waiting.some((other) => other.job.urgency > job.urgency))
        await new Promise((resolve) => this.waiting.push({ job, go: () => resolve(null) }));
      this.running = job;
      const pause = async () => {
        await this.breathe(job);
        if (this.waiting.some((other) => other.job.urgency > job.urgency)) throw new GivesWay();
      };
      try {
        return await question(pause);
      } catch (error) {
        if (!(error instanceof GivesWay)) throw error;
      } finally {
        this.running = null;
        this.next();
      }
    }
  }

  next() {
    const most = Math.max(...this.waiting.map(({ job }) => job.urgency));
    const place = this.waiting.findLastIndex(({ job }) => job.urgency === most);
    if (place >= 0) this.waiting.splice(place, 1)[0].go();
  }
}

/**
 * Answer a page's messages.
 * @param {any} port where they come from and answers go
 * @param {{ open: (name: string) => Promise<ReadableStream<any>>, tableBytes?: number }} options
 */
export function serve(port, { open, tableBytes = 1 << 28 }) {
  const library = new Library(open, tableBytes);
  const oracle = new Oracle((size) => library.engineOf(size));
  const turns = new Turns();
  const jobs = new Map();

  const placeOf = async ({ position }) => {
    const place = new Position(position.rules, position);
    if (!place.whyUnsolvable()) await library.ready(place);
    return place;
  };
  const named = (winner) => (winner === undefined ? null : (winner ?? "tie"));

  const asks = {
    async value(job, data) {
      const place = await placeOf(data);
      return named(data.known ? oracle.known(place, 2) : await oracle.value(place, job));
    },
    margin: async (job, data) => oracle.margin(await placeOf(data), job),
    winning: async (job, data) => oracle.winningMove(await placeOf(data), job),

    async values(job, { position, leads }) {
      const place = new Position(position.rules, position);
      if (!place.whyUnsolvable()) await library.ready(place);
      return oracle.values(place, { leads, take: job.tell, ask: job.ask });
    },

    async choose(job, { name, position, seed }) {
      const place = new Position(position.rules, position);
      if (AT_ONCE.includes(name)) return chooseAtOnce(name, place, seed);
      if (name in LEARNED) return chooseLearned(name, place, seed, await library.learnedOf(place.rules));
      if (name !== "perfect") throw new UsageError(`the page has no player ${JSON.stringify(name)}`);
      if (!place.whyUnsolvable()) await library.ready(place);
      return choosePerfect(oracle, place, seed, { ask: job.ask });
    },

    async prove(job, { position }) {
      const place = new Position(position.rules, position);
      const why = place.whyUnsolvable();
      if (why) throw new UsageError(`cannot solve this position: ${why}`);
      const { prove } = await import("./proof.js"); // seldom wanted, so not fetched with the rest
      const engine = await library.emptyEngine(place.rules.size);
      return prove(engine, place, { pause: () => turns.breathe(job), tell: job.tell });
    },

    /** Train a learner, which is asked what it thinks afterwards. */
    async learn(job, { lesson, settings }) {
      await library.load();
      /** @type {any} */
      let learner;
      if (lesson === "tictactoe") learner = new (await import("./tictactoe.js")).TicTacToe(library.code, settings);
      else learner = library.trained = new (await import("./training.js")).Training(library.code, settings);
      while (!learner.done) {
        if (learner.advance()) job.tell(learner.measure());
        await turns.breathe(job);
      }
      return learner.measure();
    },

    /** The chance of winning with each move, as the learner sees it that was trained here, or else the one that ships. */
    async think(_job, { position }) {
      const place = new Position(position.rules, position);
      const learned = library.trained ?? (await library.learnedOf(place.rules));
      if (!learned) throw new UsageError("no learner plays this game");
      return Object.fromEntries(place.legalMoves().map((move) => [move, learned.valueAfter(place, move)]));
    },
  };

  port.onmessage = async ({ data }) => {
    const { id, ask, stop, hold } = data;
    if (!ask) {
      const job = jobs.get(id);
      if (!job) return;
      job.stopped ||= Boolean(stop);
      job.goOn();
      if (hold) job.held = new Promise((resolve) => (job.goOn = () => resolve((job.held = null))));
      return;
    }
    const job = {
      stopped: false,
      held: null,
      goOn: () => {},
      urgency: ask === "choose" ? 2 : 1,
      tell: (told) => job.stopped || port.postMessage({ id, told }),
      ask: (engine, spot, target, options) =>
        turns.ask(job, (pause) => engine.reaches(spot, target, { ...options, pause })),
    };
    jobs.set(id, job);
    try {
      port.postMessage({ id, done: await asks[ask](job, data) });
    } catch (error) {
      if (!(error instanceof Stopped))
        port.postMessage({ id, failed: { name: error.constructor.name, text: error.message } });
    }
    jobs.delete(id);
  };
}
