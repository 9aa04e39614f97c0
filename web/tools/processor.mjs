// Processor time and memory of Chromium, which other work on the machine does not change, read from /proc (Linux). All
// Chromium processes of the machine count: no other may run meanwhile.
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
const browsers = () => numbers("/proc").map((id) => `/proc/${id}`).filter((folder) => each([folder], (own) => stat(own).includes("(chrom"))[0]);

/** User and system time of a process or thread, s. */
function spent(folder) {
  const text = stat(folder);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
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
