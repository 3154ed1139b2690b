// Whether the server can be reached: once it could not, asks until it answers. How to ask and wait is passed in, for tests.

const FIRST_WAIT = 500; // milliseconds
const LONGEST_WAIT = 8000;

export class Away {
  #isAway = false;
  #wait = FIRST_WAIT;
  #how;

  // `answers` resolves if the server answers; `onaway` and `onback` are called when it is lost and when it is back.
  constructor({ answers, later = (action, wait) => setTimeout(action, wait), onaway = () => {}, onback = () => {} }) {
    this.#how = { answers, later, onaway, onback };
  }

  // A request did not reach the server.
  suspect() {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#wait = FIRST_WAIT;
    this.#how.onaway();
    this.#askAgain();
  }

  #askAgain() {
    this.#how.later(() => {
      this.#how.answers().then(
        () => this.#isBack(),
        () => this.#askAgain(),
      );
    }, this.#wait);
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
  }

  #isBack() {
    this.#isAway = false;
    this.#how.onback();
  }
}
