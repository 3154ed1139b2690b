// The analysis board of a game that is watched. It shows what the small board shows, until somebody steps or plays a move
// on it: then the page pauses.

import { Analysis } from "../board/analysis.js";
import { button, download, h, replace } from "../dom.js";
import { addressOf, movesText } from "../go/game.js";
import { gameSlider } from "./watched.js";

export class Panel {
  // `pause` stops the games of the page, `ondraw` is called after each change, `close` ends the analysis.
  constructor(watched, { line, go, pause, ondraw, close }) {
    const { game, ply } = watched;
    this.watched = watched;
    this.pause = pause;
    this.ondraw = ondraw;
    this.analysis = new Analysis({
      game,
      at: ply,
      line,
      label: "The position",
      values: line.length > 0,
      go,
      ondraw: () => this.draw(),
      onbranch: pause,
    });
    const { analysis } = this;
    this.says = h("div", { class: "says", role: "status" });
    this.state = h("p", {});
    this.slider = gameSlider(game, (to) => analysis.look(to));
    this.review = h("a", { class: "button quiet" }, "Review");
    this.heading = h("h2", { tabindex: "-1" }, `${game.black} – ${game.white}`);
    this.element = h("section", { class: "columns", "aria-label": "Analysis" }, [
      h("div", { class: "board-side stack" }, [
        analysis.board.element,
        this.slider,
        this.says,
        h("div", { class: "row tools" }, analysis.steps, analysis.pass, analysis.toggle),
        analysis.legend,
      ]),
      h("div", { class: "card stack" }, [
        this.heading,
        this.state,
        h("p", { class: "soft" }, "Step through the game, or play any move: the analysis goes on from there."),
        analysis.from,
        h("p", { class: "row" }, [
          this.review,
          button("SGF", "quiet", () => download(`${game.black}-${game.white}.sgf`, analysis.sgf())),
          close && button("Close", "quiet", close),
        ]),
      ]),
    ]);
  }

  begin() {
    return this.analysis.begin();
  }

  // The small board shows another position, or the game has grown.
  follow() {
    const { analysis, watched } = this;
    if (analysis.game !== watched.game) analysis.grow(watched.game);
    if (!analysis.inVariation && analysis.at !== watched.ply) analysis.look(watched.ply);
  }

  // Back from a variation to the game.
  rejoin() {
    if (this.analysis.inVariation) this.analysis.look(this.watched.ply);
  }

  draw() {
    const { analysis, watched } = this;
    if (!analysis.inVariation && analysis.at !== watched.ply) {
      this.pause();
      watched.look(analysis.at);
    }
    Object.assign(this.slider, { max: watched.game.moves.length, value: analysis.at });
    replace(this.state, watched.words());
    const back = () => button("Back to the game", "quiet small", () => this.rejoin());
    replace(this.says, [
      h("p", {}, analysis.variation(), analysis.sentence()),
      analysis.inVariation && h("div", { class: "row" }, back()),
    ]);
    this.review.setAttribute("href", `#${addressOf("review", watched.game)}`);
    this.ondraw();
  }

  // Screen readers hear the position while the games are paused, not every move of a game that runs.
  speak(isPaused) {
    this.says.setAttribute("aria-live", isPaused ? "polite" : "off");
  }

  // The part of the address that names the place.
  address(isPaused) {
    const { at, line, inVariation } = this.analysis;
    const place = isPaused || inVariation ? `&at=${at}` : "";
    return `${place}${inVariation ? `&line=${movesText(line)}` : ""}`;
  }

  stop() {
    this.analysis.stop();
    this.element.remove();
  }
}
