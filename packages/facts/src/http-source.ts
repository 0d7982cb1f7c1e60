/** A source that is an HTTP service: GET, one response, no redirects. */
import { type Address, filledAddress } from './address.ts';
import { FactsUnavailable } from './failures.ts';
import { type RecordRules, recordOf } from './json-record.ts';
import { READ_MS_MAX, SOURCE_BYTES_MAX } from './limits.ts';
import { seenValue } from './seen-intent.ts';
import type { Source } from './source.ts';

export interface HttpSettings extends RecordRules {
  readonly address: Address;
  readonly headers: Readonly<Record<string, string>>;
}

export function httpSource(settings: HttpSettings): Source {
  return {
    prepare(seen) {
      const url = filledAddress(settings.address, (name) => seenValue(seen, name));
      return async () => recordOf(await bytesOf(url, settings.headers), settings, seen.objectRef);
    },
    close: async () => undefined,
  };
}

async function bytesOf(url: string, headers: HttpSettings['headers']): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(READ_MS_MAX);
  let response: Response;
  try {
    response = await fetch(url, {
      // A compressed response could be far longer than what was sent.
      headers: { accept: 'application/json', ...headers, 'accept-encoding': 'identity' },
      redirect: 'manual',
      signal,
    });
  } catch {
    throw new FactsUnavailable(signal.aborted ? LATE : 'the connection to its source failed');
  }
  if (response.status !== 200) {
    response.body?.cancel().catch(() => undefined);
    throw new FactsUnavailable(`its source responded with status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > SOURCE_BYTES_MAX) throw new FactsUnavailable(`it returned over ${SOURCE_BYTES_MAX} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof FactsUnavailable) throw error;
    throw new FactsUnavailable(signal.aborted ? LATE : 'the response of its source broke off');
  }
  return Buffer.concat(chunks);
}

const LATE = `it took longer than ${READ_MS_MAX} ms`;
