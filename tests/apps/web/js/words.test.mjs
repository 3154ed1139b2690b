// Numbers and points as people read them.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as coordinates from "../../../../src/littlego/apps/web/static/js/board/coordinates.js";
import { halves, plural, resultWords } from "../../../../src/littlego/apps/web/static/js/words.js";

test("one is one, and large numbers have commas", () => {
  const left = (count) => plural(count, "{n} move left", "{n} moves left");
  assert.deepEqual([0, 1, 2, 20000].map(left), ["0 moves left", "1 move left", "2 moves left", "20,000 moves left"]);
});

test("half points are written as halves", () => {
  assert.deepEqual([0, 0.5, 2.5, 3].map(halves), ["0", "½", "2½", "3"]);
  assert.equal(resultWords("Black wins by 0.5 (11-10.5)"), "Black wins by ½ (11–10½)");
});

test("points are called as people chose", () => {
  const { moveName, withNames } = coordinates;
  assert.equal(moveName("2,3", 5), "2,3");
  globalThis.localStorage = { getItem: (name) => (name === "coordinates" ? "letters" : null) };
  try {
    assert.deepEqual(
      ["0,0", "4,4", "2,2", "PASS"].map((move) => moveName(move, 5)),
      ["A5", "E1", "C3", "PASS"],
    );
    assert.equal(moveName("0,8", 9), "J9", "there is no I");
    assert.equal(
      withNames("2,1 or 3,3 would have won, after 1,000 games", 5),
      "B3 or D2 would have won, after 1,000 games",
    );
    assert.deepEqual(coordinates.edgeNames(3), { columns: ["A", "B", "C"], rows: ["3", "2", "1"] });
  } finally {
    delete globalThis.localStorage;
  }
});
