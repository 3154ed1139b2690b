// Jobs in words.

import { number, plural } from "../words.js";

export const UNFINISHED = ["waiting", "running"];

// How far a job has come; if it waits, what it waits for.
export function progressOf(job) {
  if (job.state === "waiting") {
    const first = job.waiting_for;
    if (!first) return "waiting for its turn";
    return `waiting for ${first.title}${first.total ? `, ${counted(first)}` : ""}`;
  }
  const words = job.message || (job.total ? "" : "starting");
  return [job.total ? counted(job) : "", words].filter(Boolean).join(" ");
}

const counted = (job) => `${number(job.done)} of ${number(job.total)}`;

// How long a job has run or waited: "for 40 seconds", "for 3 minutes".
export function duration(seconds) {
  if (seconds < 90) return plural(Math.round(seconds), "for {n} second", "for {n} seconds");
  if (seconds < 5400) return plural(Math.round(seconds / 60), "for {n} minute", "for {n} minutes");
  return plural(Math.round(seconds / 3600), "for {n} hour", "for {n} hours");
}
