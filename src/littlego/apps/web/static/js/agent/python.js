// The browser's own Python (Pyodide), with littlego's course in it: loads both, and does one piece of work at a time.
// It blocks its thread: run it in a worker.

/**
 * @typedef {{ read: (name: string) => Promise<ArrayBuffer>, load: () => Promise<any>, post: (message: any) => void }} Surroundings
 *   `read` gives a file of the site's folder `pyodide`, `load` Pyodide itself; `post` takes what is to be told
 */

const STDERR = 16384;
const PAGE = 65536;
// The browser compiles Python while it runs, so that it is measured again before every job.
const ROUNDS = 4;
const MORE_ROUNDS = 4;

// The time that `beats` of in_page.py takes divided by that of `beats` below, for the course's Python 3.7 and V8 on one
// machine: 23.2 ms to 13.0 ms at best. What a page measures is how much larger its own quotient is.
const COURSE_BEATS = 1.8;

export class Python {
  /** @param {Surroundings} surroundings @param {number} memory the most bytes that this Python may take */
  static async load({ read, load, post }, memory) {
    boundMemory(memory);
    const [py, course] = await Promise.all([load(), read("littlego.zip")]);
    py.unpackArchive(course, "zip", { extractDir: "/littlego" });
    return new Python(py, post);
  }

  /** @param {any} py @param {(message: any) => void} post */
  constructor(py, post) {
    this.py = py;
    this.post = post;
    this.stderr = new Uint8Array(0);
    this.ended = {};
    this.best = { python: Infinity, browser: Infinity };
    const clock = { ends: Infinity };
    // Python asks every few instructions whether it was interrupted. Without shared memory nobody else could say so,
    // so the answer is made here, from the time.
    py.setInterruptBuffer({
      get 0() {
        return performance.now() > clock.ends ? 2 : 0;
      },
      set 0(_) {},
    });
    py.setStdin({ stdin: () => null });
    py.setStdout({ write: (bytes) => bytes.length });
    py.setStderr({ write: (bytes) => this.note(bytes) });
    this.host = {
      factor: 1,
      began: (run, seconds) => {
        this.post({ began: run, seconds });
        return this.ended[run] ?? "";
      },
      limit: (seconds) => (clock.ends = seconds ? performance.now() + 1000 * seconds : Infinity),
      errors: () => this.errors(),
    };
    py.runPython("import sys; sys.path.insert(0, '/littlego')");
    this.course = py.pyimport("littlego.course.in_page");
    this.course.begin(this.host);
    this.course.forget();
    this.measure(ROUNDS);
  }

  /** @param {Uint8Array} bytes */
  note(bytes) {
    const both = new Uint8Array(this.stderr.length + bytes.length);
    both.set(this.stderr);
    both.set(bytes, this.stderr.length);
    this.stderr = both.slice(-STDERR);
    return bytes.length;
  }

  errors() {
    const text = new TextDecoder().decode(this.stderr);
    this.stderr = new Uint8Array(0);
    this.post({ over: true });
    return text;
  }

  /** Measure how many times slower this Python is than the course's would be on this machine: the best of all rounds. */
  measure(rounds) {
    const timed = (action) => {
      const began = performance.now();
      action();
      return performance.now() - began;
    };
    for (let k = 0; k < rounds; k++) {
      this.best.python = Math.min(
        this.best.python,
        timed(() => this.course.beats()),
      );
      this.best.browser = Math.min(this.best.browser, timed(beats));
    }
    this.host.factor = Math.max(1, this.best.python / this.best.browser / COURSE_BEATS);
  }

  /**
   * Put files where the course expects an agent, and do what is asked.
   * @param {[string, Uint8Array][]} files
   * @param {any} job
   * @param {Record<string, string>} ended runs that had to be ended with an earlier Python, and their faults
   */
  work(files, job, ended = {}) {
    this.ended = ended;
    this.measure(MORE_ROUNDS);
    this.post({ factor: this.host.factor });
    this.course.forget();
    for (const [path, bytes] of files) {
      const parts = path.split("/");
      if (parts.some((part) => ["", ".", ".."].includes(part))) continue;
      this.py.FS.mkdirTree(`/dropped/${parts.slice(0, -1).join("/")}`);
      this.py.FS.writeFile(`/dropped/${path}`, bytes);
    }
    this.course.work(JSON.stringify(job), (text) => this.post({ told: JSON.parse(text) }));
  }
}

// Python's memory grows by this one call; without a bound a loop that allocates would take the machine's.
function boundMemory(most) {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * PAGE > most) throw new RangeError("too much memory");
    return grow.call(this, pages);
  };
}

export function beats() {
  let number = 0;
  const counts = new Map();
  for (let round = 0; round < 10; round++) {
    for (let k = 0; k < 150000; k++) {
      number = (number * 31 + k) & 0xffff;
      counts.set(number & 255, (counts.get(number & 255) ?? 0) + 1);
    }
  }
  return counts.size;
}
