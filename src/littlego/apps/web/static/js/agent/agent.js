// An agent on the page: its files, and the Python that checks, plays and grades it in a worker. The worker is ended when a
// program does not come back, and another one goes on where it was.

const PYTHON = new URL("../../pyodide/", import.meta.url);
const WORKER = new URL("./worker.js", import.meta.url);
const GRACE = 3;
const MEMORY = 1 << 30;

/**
 * What this site has for running agents, or null if it has none: `make site` brings it. Throws without a network, unless
 * Python was loaded before.
 * @returns {Promise<{ version: string, files: Record<string, number>, offers: any } | null>}
 */
export async function pythonHere() {
  const answer = await fetch(new URL("files.json", PYTHON), { cache: "no-cache" }).catch(() => {
    throw new Error("this site cannot be reached, and its Python was never loaded here");
  });
  return answer.ok && answer.headers.get("content-type")?.includes("json") ? answer.json() : null;
}

export class AgentPython {
  /**
   * @param {{ version: string, files: Record<string, number> }} about
   * @param {(loaded: number, total: number) => void} onloading
   */
  constructor(about, onloading) {
    this.about = about;
    this.onloading = onloading;
    this.worker = null;
    this.ready = null;
    this.factor = 1;
    this.job = null;
  }

  /** Load Python, unless it is there. */
  load() {
    this.ready ??= new Promise((resolve, reject) => {
      // A worker from a blob has the policy of this page: it connects to nothing but this site.
      const script = new Blob([`import ${JSON.stringify(WORKER.href)};`], { type: "text/javascript" });
      const address = URL.createObjectURL(script);
      const worker = new Worker(address, { type: "module" });
      this.worker = worker;
      worker.addEventListener("message", ({ data }) => {
        if (worker !== this.worker) return;
        if (data.loading) this.onloading(data.loading, data.total);
        else if (data.ready) {
          URL.revokeObjectURL(address);
          resolve();
        } else if (data.factor) this.factor = data.factor;
        else this.heard(data, reject);
      });
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        if (worker === this.worker) this.heard({ broken: event.message || "it could not be started" }, reject);
      });
      const { version, files } = this.about;
      worker.postMessage({ load: { version, files, memory: MEMORY } });
    });
    return this.ready;
  }

  /**
   * Do a job with an agent's files; `told` gets every step, the last with `done` or `refused`.
   * @param {[string, Uint8Array][]} files
   * @param {any} asked
   * @param {(message: any) => void} told
   */
  async work(files, asked, told) {
    await this.load();
    return new Promise((resolve) => {
      this.job = { files, asked, told, resolve, results: [], ended: {}, run: null, timer: 0, seen: 0, at: 0 };
      this.send();
    });
  }

  get busy() {
    return this.job !== null;
  }

  send() {
    const { files, asked, results, ended } = this.job;
    this.job.at = 0;
    const job = asked.kind === "grade" ? { ...asked, results } : asked;
    this.worker.postMessage({ files, job, ended });
  }

  heard(data, reject) {
    const { job } = this;
    if (!job) {
      if (data.broken) {
        this.end();
        reject(new Error(`Python could not be loaded: ${data.broken}`));
      }
      return;
    }
    if (data.began) {
      job.run = data.began;
      job.timer = setTimeout(() => this.again("cpu_time"), 1000 * (data.seconds + GRACE));
    } else if (data.over) {
      clearTimeout(job.timer);
      job.run = null;
    } else if (data.told) this.tell(data.told);
    else if (data.broken && job.run) this.again("crash");
    else if (data.broken)
      this.finish({ refused: `The page's Python failed, and is started again: ${data.broken}` }, true);
  }

  tell(message) {
    const { job } = this;
    if (message.result) {
      job.results.push(message.result);
      job.ended = {};
    }
    // A second worker tells again what the first one told.
    job.at += 1;
    if (job.asked.kind !== "grade" && job.at <= job.seen) return;
    job.seen = Math.max(job.seen, job.at);
    if (message.done || message.refused) this.finish(message, false);
    else job.told(message);
  }

  /** End the run under way, which has this fault, and go on with another worker. */
  async again(fault) {
    const { job } = this;
    job.ended[job.run] = fault;
    this.end();
    try {
      await this.load();
      if (this.job === job) this.send();
    } catch (error) {
      this.finish({ refused: error.message }, true);
    }
  }

  finish(message, anew) {
    const { job } = this;
    this.job = null;
    clearTimeout(job.timer);
    if (anew) this.end();
    job.told(message);
    job.resolve(message);
  }

  /** Stop the job under way. What it has told stays. */
  stop() {
    if (this.job) this.finish({ refused: "Stopped." }, true);
  }

  end() {
    clearTimeout(this.job?.timer);
    this.worker?.terminate();
    this.worker = this.ready = null;
  }
}
