/** Delivers corrupted and late responses to the client, and compares every write with the independent check. */
import { intentDigest } from '@writecheck/contract';
import { allowFor, corruptAnswer } from '../../../conformance/client-kit/index.ts';
import { seededRandom } from '../../../scripts/seeded-random.ts';
import { createClient } from '../src/index.ts';
import { type Delivered, isValidAllow } from './independent-check.ts';

export interface CorruptionCounts {
  readonly answers: number;
  /** Still a valid allow after the corruption, and executed. */
  readonly executed: number;
  readonly stopped: number;
  /** Each is a write that ran and should not have, or the reverse. */
  readonly faults: readonly string[];
}

const intent = {
  system: 'crm',
  objectType: 'contact',
  objectRef: 'c-1',
  field: 'email',
  agentValue: 'a@example.org',
};
const TIMEOUT_MS = 2000;
const MADE_MS = Date.parse('2026-03-01T10:00:00.250Z');

export async function runCorruptions(count: number, seed: number): Promise<CorruptionCounts> {
  const random = seededRandom(seed);
  const digest = intentDigest(intent);
  const counts = { answers: 0, executed: 0, stopped: 0, faults: [] as string[] };

  // Time is a number here, so that lateness to the millisecond needs no waiting.
  let clockMs = 0;
  const realNow = performance.now;
  performance.now = () => clockMs;
  let delivered!: Delivered;
  const client = createClient({
    apiKey: 'wck_dev_corruptions',
    baseUrl: 'http://127.0.0.1',
    timeoutMs: TIMEOUT_MS,
    retries: 0,
    outcomes: false,
    fetch: async (url, init) => {
      // If an allow has no claim left, nothing redeems it.
      if (url.endsWith('/redeem')) return new Response('{}', { status: 404 });
      delivered = deliver(init.headers, digest, random);
      clockMs += delivered.elapsedMs;
      const headers = new Headers();
      if (delivered.contentType !== null) headers.set('content-type', delivered.contentType);
      if (delivered.replayed) headers.set('idempotency-replayed', 'true');
      if (delivered.dateMs !== null) headers.set('date', new Date(delivered.dateMs).toUTCString());
      return new Response(delivered.body as BodyInit, { status: delivered.status, headers });
    },
  });
  try {
    for (; counts.answers < count; counts.answers += 1) {
      let writes = 0;
      await client.guardWrite(intent, () => {
        writes += 1;
      });
      const expected = isValidAllow(delivered) ? 1 : 0;
      if (writes === 0) counts.stopped += 1;
      else counts.executed += 1;
      if (writes !== expected) {
        const { body, ...rest } = delivered;
        counts.faults.push(
          `answer ${counts.answers} of seed ${seed}: ${writes} writes, ${expected} expected, on ${JSON.stringify(rest)} with the body ${Buffer.from(body).toString('latin1')}`,
        );
      }
    }
  } finally {
    performance.now = realNow;
  }
  return counts;
}

function deliver(asked: Readonly<Record<string, string>>, digest: string, random: () => number): Delivered {
  const oneIn = (n: number): boolean => random() < 1 / n;
  // Some lifetimes are cut to about the deadline, so that lateness by either one occurs.
  const lifetimeMs = oneIn(4) ? Math.floor(random() * 2500) : oneIn(20) ? 300_001 : 300_000;
  const members = allowFor(JSON.stringify(intent), oneIn(20) ? {} : asked, MADE_MS);
  const replayed = oneIn(10);
  return {
    status: oneIn(20) ? 200 + Math.floor(random() * 400) : 200,
    contentType: oneIn(20)
      ? oneIn(2)
        ? 'text/html'
        : null
      : oneIn(2)
        ? 'application/json'
        : 'application/json; charset=utf-8',
    body: corruptAnswer({ ...members, validUntil: new Date(MADE_MS + lifetimeMs).toISOString() }, random),
    replayed,
    dateMs: oneIn(10) ? null : MADE_MS - 250 + (replayed ? 1000 * Math.floor(random() * 400) : 0),
    elapsedMs: oneIn(4) ? Math.floor(random() * 2500) : 1,
    timeoutMs: TIMEOUT_MS,
    intentDigest: digest,
    requestId: asked['x-request-id']!,
    claim: asked.redeem!,
  };
}
