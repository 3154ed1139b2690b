// Days in a row on which the puzzle of the day was solved, kept in this browser. Dates are in UTC.

const KEY = "solved";
const DAY = 86_400_000;
const MOST = 100;

const kept = () => JSON.parse(localStorage.getItem(KEY) ?? "[]");

export function solvedOn(date) {
  const days = [...new Set([...kept(), date])].sort().slice(-1000);
  localStorage.setItem(KEY, JSON.stringify(days));
}

// How many days in a row, up to `today` or the day before it.
export const streak = (today = new Date().toISOString().slice(0, 10)) => daysInARow(kept(), today);

export function daysInARow(dates, today) {
  const solved = new Set(dates.map((date) => Date.parse(date)));
  let day = Date.parse(today);
  if (!solved.has(day)) day -= DAY; // today's may still be solved
  let days = 0;
  for (; solved.has(day); day -= DAY) days += 1;
  return days;
}

const played = () => JSON.parse(localStorage.getItem("played") ?? "[]");

// What somebody played in the puzzle of a day: a second visit finds it as it was left, whatever day was looked at since.
export function keepPlayed(date, state) {
  const others = played().filter(([day]) => day !== date);
  localStorage.setItem("played", JSON.stringify([...others, [date, state]].slice(-MOST)));
}

export const playedOn = (date) => played().find(([day]) => day === date)?.[1] ?? null;
