// Jobs on the pages: the line at the top, with those that run and wait, and the bar of one job.

import { get, listen, post } from "./api.js";
import { button, capital, h, plural, replace } from "./dom.js";
import { progressOf, UNFINISHED } from "./progress.js";

export function showJobs(element) {
  const summary = h("summary", {});
  const list = h("ul", { class: "plain", "aria-label": "Jobs" });
  const box = h("details", {}, summary, list);
  listen(
    "jobs",
    (news) => draw(news.jobs),
    async () => draw(await get("/api/jobs/queue")),
  );

  function draw(jobs) {
    const running = jobs.filter((job) => job.state === "running").length;
    const waiting = jobs.length - running;
    replace(element, jobs.length > 0 && box);
    replace(summary, `${plural(running, "job")} running${waiting ? `, ${waiting} waiting` : ""}`);
    replace(list, jobs.map(line));
  }

  function line(job) {
    const stop = stopButton(job);
    stop.setAttribute("aria-label", `Stop ${job.title}`);
    return h("li", { class: "row" }, h("span", {}, `${job.title}: ${progressOf(job)}`), stop);
  }
}

const stopButton = (job) => button("Stop", "quiet small", () => post(`/api/jobs/${job.id}/cancel`));

// How a job stands, with a button to stop or resume it.
export function jobBar(job) {
  const resume = button("Resume", "quiet small", () => post(`/api/jobs/${job.id}/resume`));
  if (job.state === "cancelled") return h("p", { class: "soft row" }, "Stopped. Its work so far is kept.", resume);
  if (job.state === "failed") return [h("p", { class: "bad" }, capital(job.message)), h("p", { class: "row" }, resume)];
  if (!UNFINISHED.includes(job.state)) return null;
  return h("div", { class: "stack" }, [
    h("progress", { max: job.total || 1, value: job.total ? job.done : null, "aria-label": job.title }),
    h("div", { class: "row" }, h("small", {}, progressOf(job)), stopButton(job)),
  ]);
}
