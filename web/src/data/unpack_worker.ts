// Unpacks parts beside the page, so that it answers and draws meanwhile. In: one part; out: its numbers, in order.
import { type Part, Unpacker } from "./unpack";

const unpacker = new Unpacker();
let last: Promise<unknown> = Promise.resolve();

async function answer(part: Part): Promise<void> {
  try {
    const unpacked = await unpacker.part(part);
    self.postMessage({ unpacked }, { transfer: unpacked.map(({ values }) => values.buffer as ArrayBuffer) });
  } catch (error) {
    self.postMessage({ fault: (error as Error).message });
  }
}

self.onmessage = ({ data }: MessageEvent<Part>) => {
  last = last.then(() => answer(data));
};
