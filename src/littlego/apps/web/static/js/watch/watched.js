// One game that is watched: a small board with a slider. Moves arrive as fast as the players play, and are shown when the
// page says so.
//
// `values` says whether the server tells who wins; `onlook` is called when another position is shown or the game has
// changed, `onscrub` when somebody moves the slider, `onpick` when the board is clicked (null: it cannot be), and `onend`
// when the end is shown for the first time.

import { GameValues, ValueBar } from "../board/bar.js";
import { Board } from "../board/board.js";
import { h, replace } from "../dom.js";
import { resultWords } from "../words.js";
import { followGame, get, newerOf } from "../server/api.js";

export class Watched {
  constructor(game, { ply, values, onlook, onscrub, onpick, onend }) {
    this.game = game;
    this.ply = ply;
    this.hasValues = values;
    this.onlook = onlook;
    this.onend = onend;
    this.seenEnd = false;
    this.board = new Board({ size: game.rules.size, label: `${game.black} against ${game.white}`, coordinates: false });
    this.line = h("p", {});
    this.slider = gameSlider(game, (to) => {
      onscrub();
      this.look(to);
    });
    this.bar = new ValueBar();
    this.values = new GameValues(() => get(`/api/games/${game.id}/values`));
    const name = `Analyse ${game.black} – ${game.white}`;
    this.pick = onpick
      ? h("button", { type: "button", class: "bare", "aria-label": name, onclick: onpick }, this.board.element)
      : this.board.element;
    const pair = h("div", { class: "with-bar" }, this.pick, this.bar.element);
    this.element = h("article", { class: "card" }, pair, this.slider, this.line);
    this.stop = followGame(game.id, (next) => {
      this.game = newerOf(this.game, next);
      this.look(this.ply);
    });
    this.draw();
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
    this.onlook(this);
  }

  draw() {
    const { game, ply } = this;
    this.board.showGame(game, { ply });
    this.bar.show(this.values.at(ply));
    if (this.hasValues) this.values.want(game.boards.length, () => this.bar.show(this.values.at(this.ply)));
    Object.assign(this.slider, { max: game.moves.length, value: ply });
    const link = () => h("a", { href: `/review/${game.id}` }, "Review");
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
    return (this.isAtEnd && (game.trouble ?? "")) || `Move ${number} of ${game.rules.max_moves}`;
  }

  // Marks the game that is on the analysis board.
  choose(isChosen) {
    this.element.toggleAttribute("data-chosen", isChosen);
  }
}

// Both names with their stones.
export const whoPlays = (game) =>
  h("span", { class: "who" }, [
    ["black", "white"].map((colour) => h("span", {}, h("i", { class: `disc small ${colour}` }), ` ${game[colour]}`)),
  ]);

// To scrub through a game.
export function gameSlider(game, scrub) {
  const label = `Move of ${game.black} – ${game.white}`;
  const slider = h("input", { type: "range", min: 0, max: game.moves.length, "aria-label": label });
  slider.addEventListener("input", () => scrub(Number(slider.value)));
  return slider;
}
