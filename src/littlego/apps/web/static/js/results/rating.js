// How strong somebody plays, from the games that this browser kept: against opponents whose strength was measured.

import { PLAYERS } from "../data.js";
import { number, plural } from "../words.js";
import { resultOf, weeksOf } from "./history.js";

/** @typedef {import("../library.js").Kept} Kept */

const RATINGS = new Map(PLAYERS.map(({ name, rating }) => [name, rating]));
const LEAST = Math.min(...RATINGS.values());
/** Before any game every strength from far below the weakest to far above the strongest is equally likely. */
const GRID = Array.from({ length: 301 }, (_, k) => LEAST - 700 + 10 * k);
const FEWEST = 5;
const WON = { won: 1, tie: 0.5, lost: 0 };
const WEEK = 7 * 86_400_000;

/**
 * A rating in the points of the opponents' list, with the interval that holds 95% of what the games leave likely; null
 * for too few. Only whole games on 5x5 count, without hints and without moves taken back.
 * @param {Kept[]} games
 */
export function ratingOf(games) {
  const counted = games.filter(
    (game) => game.ended && game.you && game.size === 5 && !game.helped && RATINGS.has(game.opponent),
  );
  if (counted.length < FEWEST) return null;
  const logs = GRID.map((mine) =>
    counted.reduce((sum, game) => {
      const expected = 1 / (1 + 10 ** ((RATINGS.get(game.opponent) - mine) / 400));
      const won = WON[resultOf(game)];
      return sum + won * Math.log(expected) + (1 - won) * Math.log(1 - expected);
    }, 0),
  );
  const most = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - most));
  const all = weights.reduce((sum, one) => sum + one, 0);
  const quantile = (share) => {
    let sum = 0;
    return GRID.find((_, k) => (sum += weights[k]) >= share * all);
  };
  const mean = GRID.reduce((sum, mine, k) => sum + mine * weights[k], 0) / all;
  const above = (rating) => Math.round((rating - LEAST) / 10) * 10;
  return { games: counted.length, rating: above(mean), low: above(quantile(0.025)), high: above(quantile(0.975)) };
}

const signed = (value) => `${value < 0 ? "−" : "+"}${number(Math.abs(value))}`;

/** The rating in a sentence; empty while there are too few games. @param {Kept[]} games */
export function ratingLine(games) {
  const found = ratingOf(games);
  if (!found) return "";
  const { rating, low, high } = found;
  return `You play at about ${signed(rating)} (95%: ${signed(low)} to ${signed(high)}), by ${number(found.games)} games without hints.`;
}

/** The only moves that were found this week and in the last week with games; empty for none. @param {Kept[]} games */
export function onlyMovesLine(games, now = Date.now()) {
  const weeks = weeksOf(games).filter(({ only }) => only);
  const last = weeks.at(-1);
  if (!last) return "";
  const isNow = (week) => Date.parse(week) + WEEK > now;
  const [current, before] = isNow(last.week) ? [last, weeks.at(-2)] : [null, last];
  const found = ({ found, only }) =>
    plural(only, `${number(found)} of {n} only move`, `${number(found)} of {n} only moves`);
  if (!current) return `You last found ${found(before)}, in the week of ${before.week}.`;
  const isLast = before && Date.parse(before.week) + WEEK === Date.parse(current.week);
  const then =
    before && `; ${isLast ? "last week" : `in the week of ${before.week}`} ${before.found} of ${before.only}`;
  return `This week you found ${found(current)}${then ?? ""}.`;
}
