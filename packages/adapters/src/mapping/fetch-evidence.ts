/** Requests evidence from an HTTP source, such as a facts reader: the intent as POST, evidence as the response. */
import type { WriteIntent } from '@writecheck/client';
import type { EvidenceSource } from './read-mapping.ts';

export const OUTPUT_BYTES_MAX = 1024 * 1024;

/** Throws on any error, without the token and the text of the source. */
export async function fetchEvidence(
  { url, token, timeoutMs }: EvidenceSource & { readonly kind: 'url' },
  { controlEvidence: _, ...intent }: WriteIntent,
): Promise<Uint8Array> {
  const at = new URL(url);
  // The host alone may name a reader, as in the clients.
  if (at.pathname === '/') at.pathname = '/facts';
  const signal = AbortSignal.timeout(timeoutMs);
  const fail = (why: string): Error => new Error(`the evidence source at \`${at.host}\` ${why}`);
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...bearer(token) };
  try {
    const response = await fetch(at, {
      method: 'POST',
      headers,
      body: JSON.stringify(intent),
      // A followed redirect would carry the token to a place nobody configured.
      redirect: 'manual',
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw fail(`responded with status ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > OUTPUT_BYTES_MAX) throw fail(`returned more than ${OUTPUT_BYTES_MAX} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (signal.aborted) throw fail(`did not respond within ${timeoutMs} ms`);
    throw error instanceof TypeError ? fail('cannot be reached') : error;
  }
}

function bearer(token: string | undefined): { readonly authorization?: string } {
  if (token === undefined) return {};
  const secret = token.startsWith('env:') ? process.env[token.slice('env:'.length)] : token;
  if (secret === undefined || secret === '')
    throw new Error(
      `the environment has no \`${token.slice('env:'.length)}\`, which an evidence source needs`,
    );
  return { authorization: `Bearer ${secret}` };
}
