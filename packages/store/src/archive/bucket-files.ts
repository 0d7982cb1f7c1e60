/** The files of an archive in an S3-compatible bucket. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ArchivePlace } from '../port/archive.ts';
import type { ArchiveFiles } from './archive-files.ts';
import { credentialsIn, Refused, signedHeaders } from './sign-request.ts';

type Bucket = Extract<ArchivePlace, { kind: 's3' }>;

const TIMEOUT_MS = 10_000;
const TRIES = 3;
const REST_MS = 200;
const NOT_FOUND = 404;
const SERVER_ERROR = 500;
const TOO_MANY = 429;

export function bucketFiles({ bucket, prefix, endpoint, region }: Bucket): ArchiveFiles {
  const root =
    endpoint === null ? `https://${bucket}.s3.${region}.amazonaws.com` : `${endpoint}/${encoded(bucket)}`;

  async function send(method: 'GET' | 'PUT', name: string, body?: Uint8Array): Promise<Response> {
    const url = new URL(`${root}/${`${prefix}${name}`.split('/').map(encoded).join('/')}`);
    const headers = signedHeaders(
      { method, url, body, region, nowMs: Date.now() },
      credentialsIn(process.env),
    );
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // INVARIANT: credentials go to the named server alone.
    return fetch(url, {
      method,
      headers,
      signal,
      redirect: 'error',
      ...(body === undefined ? {} : { body: new Uint8Array(body) }),
    });
  }

  /** A busy server asks to try again. */
  async function patiently<T>(work: () => Promise<T | 'again'>, name: string): Promise<T> {
    let cause: unknown;
    for (let i = 0; i < TRIES; i += 1) {
      if (i > 0) await pause(REST_MS * i);
      try {
        const done = await work();
        if (done !== 'again') return done;
        cause = 'it is busy';
      } catch (thrown) {
        if (thrown instanceof Refused) throw thrown;
        cause = thrown;
      }
    }
    throw new Error(`the bucket \`${bucket}\` does not answer for \`${name}\``, { cause });
  }

  function judge(response: Response, name: string): 'ok' | 'again' {
    if (response.ok) return 'ok';
    if (response.status >= SERVER_ERROR || response.status === TOO_MANY) return 'again';
    throw new Refused(`the bucket \`${bucket}\` refuses \`${name}\` with status ${response.status}`);
  }

  return {
    read: (name) =>
      patiently(async () => {
        const response = await send('GET', name);
        const bytes = Buffer.from(await response.arrayBuffer());
        if (response.status === NOT_FOUND) return null;
        return judge(response, name) === 'ok' ? bytes : 'again';
      }, name),
    write: (name, body) =>
      patiently(async () => {
        const response = await send('PUT', name, body);
        await response.arrayBuffer();
        return judge(response, name) === 'ok' ? undefined : 'again';
      }, name),
  };
}

/** Encoded as the signature requires: more than a URL needs. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
