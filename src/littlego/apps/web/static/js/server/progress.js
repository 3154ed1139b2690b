// Jobs in words.

import { number, t, tn, ts } from "../language/language.js";

export const UNFINISHED = ["waiting", "running"];

// How far a job has come; if it waits, what it waits for.
export function progressOf(job) {
  if (job.state === "waiting") {
    const first = job.waiting_for;
    if (!first) return t("waiting for its turn");
    const title = ts(first.title);
    return first.total
      ? t("waiting for {title}, {progress}", { title, progress: counted(first) })
      : t("waiting for {title}", { title });
  }
  const words = job.message ? ts(job.message) : job.total ? "" : t("starting");
  return [job.total ? counted(job) : "", words].filter(Boolean).join(" ");
}

const counted = (job) => t("{done} of {all}", { done: number(job.done), all: number(job.total) });

// How long a job has run or waited: "for 40 seconds", "for 3 minutes".
export function duration(seconds) {
  if (seconds < 90) return tn(Math.round(seconds), "for {n} second", "for {n} seconds");
  if (seconds < 5400) return tn(Math.round(seconds / 60), "for {n} minute", "for {n} minutes");
  return tn(Math.round(seconds / 3600), "for {n} hour", "for {n} hours");
}
