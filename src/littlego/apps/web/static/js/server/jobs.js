// Jobs on the pages: the line at the top, with those that run and wait, and the bar of one job.

import { button, capital, h, replace } from "../dom.js";
import { plural } from "../words.js";
import { get, post } from "./api.js";
import { CHANGED } from "./follow.js";
import { duration, progressOf, UNFINISHED } from "./progress.js";

const EVERY = 5000; // milliseconds between two looks

export function showJobs(element) {
  const summary = h("summary", {});
  const list = h("ul", { class: "plain", "aria-label": "Jobs" });
  const box = h("details", {}, summary, list);
  let jobs = [];
  const look = async () => {
    if (document.hidden) return;
    const next = await get("/api/jobs/queue").catch(() => jobs);
    if (next.length || jobs.length) draw((jobs = next));
  };
  setInterval(look, EVERY);
  addEventListener(CHANGED, look);
  look();

  function draw(jobs) {
    const running = jobs.filter((job) => job.state === "running");
    const waiting = jobs.length - running.length;
    const first = running[0] ?? jobs[0];
    replace(element, jobs.length > 0 && box);
    replace(summary, [
      plural(running.length, "{n} job running", "{n} jobs running"),
      waiting > 0 && `, ${waiting} waiting`,
      first && `: ${first.title}, ${progressOf(first)}`,
    ]);
    replace(list, jobs.map(line));
  }

  function line(job) {
    const stop = stopButton(job);
    stop.setAttribute("aria-label", `Stop ${job.title}`);
    const text = `${job.title}: ${progressOf(job)}, ${duration(job.seconds ?? 0)}`;
    return h("li", { class: "row" }, h("span", {}, text), stop);
  }
}

const told = (answer) => answer.then(() => dispatchEvent(new Event(CHANGED)));
const stopButton = (job) => button("Stop", "quiet small", () => told(post(`/api/jobs/${job.id}/cancel`)));

// How a job stands, with a button to stop or resume it.
export function jobBar(job) {
  const resume = button("Resume", "quiet small", () => told(post(`/api/jobs/${job.id}/resume`)));
  if (job.state === "cancelled") return h("p", { class: "soft row" }, "Stopped. Its work so far is kept.", resume);
  if (job.state === "failed") return [h("p", { class: "bad" }, capital(job.message)), h("p", { class: "row" }, resume)];
  if (!UNFINISHED.includes(job.state)) return null;
  return h("div", { class: "stack" }, [
    h("progress", { max: job.total || 1, value: job.total ? job.done : null, "aria-label": job.title }),
    h("div", { class: "row" }, h("small", {}, progressOf(job)), stopButton(job)),
  ]);
}
