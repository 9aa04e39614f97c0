// Processor time and memory of the Chromium that this process started, which other work on the machine does not change, read from
// /proc (Linux).
import { readdirSync, readFileSync } from "node:fs";

const numbers = (folder) => {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // it ended meanwhile
  }
};

/** of(folder) of each folder that still stands. */
const each = (folders, of) =>
  folders.flatMap((folder) => {
    try {
      return [of(folder)];
    } catch {
      return [];
    }
  });

const stat = (folder) => readFileSync(`${folder}/stat`, "utf8");
const fieldsOf = (text) => text.slice(text.lastIndexOf(")") + 2).split(" ");

/** Folders of all processes called chrom... that descend from this one. */
function browsers() {
  const all = new Map(each(numbers("/proc"), (id) => [id, stat(`/proc/${id}`)]));
  const own = (id) => id === String(process.pid) || (all.has(id) && id !== "1" && own(fieldsOf(all.get(id))[1]));
  return [...all].filter(([id, text]) => text.includes("(chrom") && own(id)).map(([id]) => `/proc/${id}`);
}

/** User and system time of a process or thread, s. */
function spent(folder) {
  const fields = fieldsOf(stat(folder));
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const sum = (values) => values.reduce((total, own) => total + own, 0);

/** Processor time of all of them so far, s. */
export const processorTime = () => sum(each(browsers(), spent));

/** Processor time so far of those of their threads that bear this name, s. */
export function threadTime(name) {
  const threads = browsers().flatMap((folder) => numbers(`${folder}/task`).map((id) => `${folder}/task/${id}`));
  return sum(each(threads, (folder) => (stat(folder).includes(`(${name}`) ? spent(folder) : 0)));
}

/** The most memory that one of them held, MB. */
export function mostMemory() {
  const kilobytes = each(browsers(), (folder) => Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`${folder}/status`, "utf8"))?.[1] ?? 0));
  return Math.round(Math.max(0, ...kilobytes) / 1000);
}
