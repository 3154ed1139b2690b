// News over one WebSocket, which reconnects when the network fails. How to connect and wait is passed in, for tests.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

export class News {
  #listeners = new Map(); // topic -> set of {news, again}
  #socket = null;
  #timer = null;
  #wait = FIRST_WAIT;
  #failures = 0;
  #isAway = false;
  #how;

  // `open` makes a new WebSocket; `onaway` and `onback` are called when the server is lost and when it is back.
  // `answers` resolves if the server answers requests, which is how a page without a WebSocket learns that it is back.
  constructor({
    open,
    answers,
    later = (action, wait) => setTimeout(action, wait),
    onaway = () => {},
    onback = () => {},
  }) {
    this.#how = { open, answers, later, onaway, onback };
  }

  connect() {
    if (this.#socket || this.#timer !== null) return;
    const mine = this.#how.open();
    this.#socket = mine;
    mine.addEventListener("open", () => mine === this.#socket && this.#opened());
    mine.addEventListener("message", (event) => mine === this.#socket && this.#take(JSON.parse(event.data)));
    mine.addEventListener("close", () => mine === this.#socket && this.#lost());
  }

  // Reconnects, with the cookie that the browser has now.
  renew() {
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    this.connect();
  }

  // A request did not reach the server: the connection may be dead even if it looks open.
  suspect() {
    const old = this.#socket;
    this.#failures += 1;
    if (old) {
      this.#lost();
      old.close();
    } else {
      this.#reportAway();
      this.#askAgain();
    }
  }

  // Without a connection, as when the very first request failed: asks until the server answers.
  #askAgain() {
    if (this.#timer !== null) return;
    this.#later(() => {
      this.#how.answers().then(
        () => this.#isBack(),
        () => this.#askAgain(),
      );
    });
  }

  #later(action) {
    this.#timer = this.#how.later(() => {
      this.#timer = null;
      action();
    }, this.#wait);
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
  }

  // Calls `news` with each message of a topic, and `again` when news may have been missed. Returns how to stop.
  listen(topic, news, again) {
    const one = { news, again };
    if (!this.#listeners.has(topic)) this.#listeners.set(topic, new Set());
    this.#listeners.get(topic).add(one);
    this.#say({ listen: topic, confirm: "yes" });
    this.connect();
    return () => {
      const set = this.#listeners.get(topic);
      if (!set?.delete(one) || set.size) return;
      this.#listeners.delete(topic);
      this.#say({ forget: topic });
    };
  }

  #opened() {
    for (const topic of this.#listeners.keys()) this.#say({ listen: topic, confirm: "yes" });
    this.#isBack();
  }

  #isBack() {
    this.#wait = FIRST_WAIT;
    this.#failures = 0;
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#how.onback();
  }

  #lost() {
    this.#socket = null;
    this.#failures += 1;
    // The first failure may be brief: it is reported only if the next try fails, too.
    if (this.#failures > 1) this.#reportAway();
    this.#later(() => this.connect());
  }

  #reportAway() {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#how.onaway();
  }

  #take(news) {
    for (const one of [...(this.#listeners.get(news.topic) ?? [])]) {
      if (!news.listening) one.news(news);
      // If this fails, it is repeated when the connection is back.
      else Promise.resolve(one.again?.()).catch(() => {});
    }
  }

  #say(message) {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message));
  }
}

// Calls `draw` with a job and its result whenever it changes; news has no results, so they are fetched.
// Returns how to stop.
export function followJob(job, draw, { get, listen }) {
  let shown = job;
  let loading = false;
  let stale = false;
  const load = async () => {
    stale = true;
    if (loading) return;
    loading = true;
    try {
      while (stale) {
        stale = false;
        const next = await get(`/api/jobs/${job.id}`);
        if (stopped) return;
        shown = next;
        draw(shown);
      }
    } finally {
      loading = false;
    }
  };
  let stopped = false;
  draw(shown);
  const stop = listen(
    `job:${job.id}`,
    ({ job: next }) => {
      if (next.updated < shown.updated) return;
      if (next.result_version !== shown.result_version) load().catch(() => {});
      else {
        shown = { ...next, result: shown.result };
        draw(shown);
      }
    },
    load,
  );
  return () => {
    stopped = true;
    stop();
  };
}
