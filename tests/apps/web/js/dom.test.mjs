// Words that several pages make.

import assert from "node:assert/strict";
import { test } from "node:test";

import { capital, firstOf } from "../../../../src/littlego/apps/web/static/js/dom.js";

test("a sentence begins with a capital, a name stays as it is", () => {
  assert.equal(capital("choose two players or more"), "Choose two players or more");
  assert.equal(capital("the server's disk is full: try later"), "The server's disk is full: try later");
  for (const text of ["nowhere/agent: no such directory", "agent.zip: not a zip", "my-agent: no such player", ""])
    assert.equal(capital(text), text);
});

test("a list that is cut says how many more there are", () => {
  assert.equal(firstOf(["0,0"], 2), "0,0");
  assert.equal(firstOf(["0,0", "0,1"], 2), "0,0, 0,1");
  assert.equal(firstOf(["0,0", "0,1", "PASS", "4,4"], 2), "0,0, 0,1 and 2 more");
});
