// One game that is watched: a small board with a slider. Its players move as fast as they can; moves are shown when the
// page says so.
//
// `onscrub` is called when somebody moves the slider, `onpick` when the board is clicked, and `onend` when the end is shown
// for the first time.

import { GameValues, ValueBar } from "../board/bar.js";
import { Board } from "../board/board.js";
import { h, replace } from "../dom.js";
import { resultWords } from "../words.js";
import { addressOf, drawn, positionAt } from "../go/game.js";
import { chosenMove, kernel } from "../thinking.js";

const QUICK_LEFT = 12; // earlier, only what the atlas knows is shown

export class Watched {
  constructor(game, { onscrub, onpick, onend }) {
    this.game = game;
    this.ply = 0;
    this.least = 0;
    this.trouble = "";
    this.stopping = new AbortController();
    this.onend = onend;
    this.seenEnd = false;
    this.board = new Board({ size: game.rules.size, label: `${game.black} against ${game.white}`, coordinates: false });
    this.line = h("p", {});
    this.slider = gameSlider(game, (to) => {
      onscrub();
      this.look(to);
    });
    this.bar = new ValueBar();
    this.found = []; // who wins after each move, as far as that is known
    this.values = new GameValues(() => this.along());
    const name = `Review ${game.black} – ${game.white}`;
    this.pick = h("button", { type: "button", class: "bare", "aria-label": name, onclick: onpick }, this.board.element);
    const pair = h("div", { class: "with-bar" }, this.pick, this.bar.element);
    this.element = h("article", { class: "card" }, pair, this.slider, this.line);
    this.draw();
    this.run();
  }

  // Plays the game to its end.
  async run() {
    const { signal } = this.stopping;
    try {
      while (!this.game.outcome && !signal.aborted) {
        const { move, outcome } = await chosenMove(this.game, positionAt(this.game), { signal });
        if (signal.aborted) return;
        const isForfeit = outcome && outcome.verdict !== "score";
        const change = move === null || isForfeit ? { ended: outcome } : { moves: [...this.game.moves, move] };
        this.game = drawn({ ...this.game, ...change });
        const { length } = this.game.moves;
        this.look(length <= this.least ? length : this.ply);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.trouble = `${this.game[this.game.to_move]} could not move: ${error.message}`;
      this.draw();
    }
  }

  // Who wins after each move.
  async along() {
    return { values: await valuesAlong(this.game, this.found, this.stopping.signal) };
  }

  // Shows so many moves as soon as they are played.
  returnTo(ply) {
    this.least = ply;
  }

  stop() {
    this.stopping.abort();
  }

  get names() {
    return [this.game.black, this.game.white];
  }

  // Who won, once that was seen; false before.
  get winner() {
    const { outcome } = this.game;
    return this.seenEnd && outcome && (outcome.winner ? this.game[outcome.winner] : "tie");
  }

  get isAtEnd() {
    return this.ply === this.game.moves.length;
  }

  look(to) {
    this.ply = Math.max(0, Math.min(this.game.moves.length, to));
    this.draw();
  }

  draw() {
    const { game, ply } = this;
    this.board.showGame(game, { ply });
    this.bar.show(this.values.at(ply));
    this.values.want(game.boards.length, () => this.bar.show(this.values.at(this.ply)));
    Object.assign(this.slider, { max: game.moves.length, value: ply });
    const link = () => h("a", { href: `#${addressOf("review", game)}` }, "Review");
    replace(this.line, whoPlays(game), this.words(), this.isOver && [" ", link()]);
    if (!this.isOver || this.seenEnd) return;
    this.seenEnd = true;
    setTimeout(this.onend);
  }

  get isOver() {
    return Boolean(this.isAtEnd && this.game.outcome);
  }

  // How the game stands, in words.
  words() {
    const { game, ply } = this;
    if (this.isOver) return `${resultWords(game.outcome.text)}.`;
    const number = game.start_move + ply;
    return (this.isAtEnd && this.trouble) || `Move ${number} of ${game.rules.max_moves}`;
  }
}

// Who wins after each move of a game, as far as that is known or found at once; added to those that were `found` before.
export async function valuesAlong(game, found, signal) {
  for (let k = found.length; k <= game.moves.length; k++) {
    const position = positionAt(game, k);
    const known = position.left > QUICK_LEFT;
    found.push(game.unsolvable ? null : await kernel.value(position, { known, signal }));
  }
  return found;
}

// Both names with their stones.
export const whoPlays = (game) =>
  h("span", { class: "who" }, [
    ["black", "white"].map((colour) => h("span", {}, h("i", { class: `disc small ${colour}` }), ` ${game[colour]}`)),
  ]);

// To scrub through a game.
function gameSlider(game, scrub) {
  const label = `Move of ${game.black} – ${game.white}`;
  const slider = h("input", { type: "range", min: 0, max: game.moves.length, "aria-label": label });
  slider.addEventListener("input", () => scrub(Number(slider.value)));
  return slider;
}
