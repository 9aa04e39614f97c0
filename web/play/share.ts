// A scene in the address: deflated JSON in base64 of the kind that needs no escapes.

export interface Shared {
  scene: string;
  settings: Record<string, number | string>;
  course?: string;
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

export async function encode(shared: Shared): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Null where the text is no scene that was shared. */
export async function decode(text: string): Promise<Shared | null> {
  try {
    const shared = JSON.parse(new TextDecoder().decode(await through(fromBase64(text), new DecompressionStream("deflate-raw")))) as Shared;
    return typeof shared.scene === "string" ? { ...shared, settings: shared.settings ?? {} } : null;
  } catch {
    return null;
  }
}
