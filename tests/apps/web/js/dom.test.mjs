// Words that several pages make.

import assert from "node:assert/strict";
import { test } from "node:test";

import { capital } from "../../../../src/littlego/apps/web/static/js/dom.js";

test("a sentence begins with a capital, a name stays as it is", () => {
  assert.equal(capital("choose two players or more"), "Choose two players or more");
  assert.equal(capital("the server's disk is full: try later"), "The server's disk is full: try later");
  for (const text of ["nowhere/agent: no such directory", "agent.zip: not a zip", "my-agent: no such player", ""])
    assert.equal(capital(text), text);
});
