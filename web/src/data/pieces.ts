// The bytes of a result in pieces. In a report they are in elements that the browser may still be reading.

/** Text of base64 as bytes; by the browser where it can. */
function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
  const own = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (own.fromBase64) return own.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

const reading = () => document.readyState === "loading";

/** When the browser has read one more element of the page, or all of it. */
const grown = () =>
  new Promise<void>((wake) => {
    const done = () => {
      watch.disconnect();
      document.removeEventListener("DOMContentLoaded", done);
      wake();
    };
    const watch = new MutationObserver(done);
    watch.observe(document.body, { childList: true });
    document.addEventListener("DOMContentLoaded", done);
  });

export class Pieces {
  private readonly pieces: Uint8Array<ArrayBuffer>[] = [];
  private length = 0;

  /** Those that elements of this class hold, or these. */
  constructor(private readonly kind: string | null, bytes?: Uint8Array<ArrayBuffer>) {
    if (bytes) this.add(bytes);
  }

  private add(bytes: Uint8Array<ArrayBuffer>): void {
    this.pieces.push(bytes);
    this.length += bytes.length;
  }

  /** Reads one more; false: there are no more. */
  private async more(): Promise<boolean> {
    if (!this.kind) return false;
    for (;;) {
      const element = document.querySelector(`script.${this.kind}`);
      if (element && (element.nextSibling || !reading())) {
        this.add(bytesOfText(element.textContent ?? ""));
        element.remove();
        return true;
      }
      if (!element && !reading()) return false;
      await grown();
    }
  }

  /** Whether the browser has come to such an element. */
  static begun(kind: string): boolean {
    return document.querySelector(`script.${kind}`) !== null;
  }

  /** Whether there are any. */
  async exist(): Promise<boolean> {
    return this.length > 0 || this.more();
  }

  /** A copy of bytes `start` to `end`, or of those that there are. */
  async slice(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    while (this.length < end && (await this.more()));
    const out = new Uint8Array(Math.max(0, Math.min(end, this.length) - start));
    let at = 0;
    for (const piece of this.pieces) {
      const [from, to] = [Math.max(start, at), Math.min(end, at + piece.length)];
      if (from < to) out.set(piece.subarray(from - at, to - at), from - start);
      at += piece.length;
    }
    return out;
  }
}
