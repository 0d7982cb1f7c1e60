/** A bundle as a link: it stands behind `#`, so no server reads it, and whoever opens the link reads and applies it as their own. */
import { decodeBase64Url, encodeBase64Url } from '@writecheck/ledger';
import { href } from '../../state/route.ts';

/** As much as a bundle may have. */
const TEXT_BYTES_MAX = 1_048_576;
/** Mail and chat programs cut longer links. */
const LINK_MAX = 16_000;

/** What the sender says. INVARIANT: nobody has checked it, so a reader is told that the link says so. */
export interface Sender {
  readonly by: string;
  readonly message: string;
}

/** Null if it would be too long. */
export async function handOverLink(text: string, sender: Sender): Promise<string | null> {
  const packed = await throughStream(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  const draft = encodeBase64Url(packed.subarray(0, LINK_MAX));
  const { origin, pathname } = window.location;
  const link = `${origin}${pathname}${href('/policies', { draft, ...sender })}`;
  return packed.length > LINK_MAX || link.length > LINK_MAX ? null : link;
}

/** Null if it is no such draft. */
export async function handedOver(draft: string): Promise<string | null> {
  try {
    const packed = decodeBase64Url(draft);
    if (packed === null) return null;
    const bytes = await throughStream(packed, new DecompressionStream('deflate-raw'));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** INVARIANT: a small link must not unpack into a text that fills the memory. */
async function throughStream(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const reader = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    parts.push(value);
    if (length <= TEXT_BYTES_MAX) continue;
    await reader.cancel();
    throw new Error('the text is longer than a bundle may be');
  }
}
