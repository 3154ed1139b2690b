// How points are called: "2,2" (row and column from 0 at the top left, as the course's files have them) or "C3" (as Go
// players say it: a letter without I, and the row from below). The choice stays in this browser; addresses and the API
// always have the first.

const LETTERS = "ABCDEFGHJKLMNOPQRST";

export const SYSTEMS = [
  ["numbers", "2,3"],
  ["letters", "D3"],
];

export const system = () => (globalThis.localStorage?.getItem("coordinates") === "letters" ? "letters" : "numbers");

// A move as people read it.
export function moveName(move, size) {
  if (move === "PASS") return move;
  if (system() === "numbers") return move;
  const [row, column] = move.split(",").map(Number);
  return `${LETTERS[column]}${size - row}`;
}

// The names of the columns from the left, and of the rows from the top.
export function edgeNames(size) {
  const all = Array.from({ length: size }, (_, k) => k);
  if (system() === "numbers") return { columns: all.map(String), rows: all.map(String) };
  return { columns: all.map((k) => LETTERS[k]), rows: all.map((k) => String(size - k)) };
}

// A sentence with its points called as people chose.
export const withNames = (text, size) => text.replace(/\b\d{1,2},\d{1,2}\b(?!,|\d)/g, (move) => moveName(move, size));
