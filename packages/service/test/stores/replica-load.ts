/** Callers of several replicas that retry as the client does, and remember every response they got. */
import { seededRandom } from '../../../../scripts/seeded-random.ts';

export interface Replica {
  /** Null while it is down. */
  url: string | null;
}

export interface Answers {
  /** Answered decisions, by the write they are about. */
  readonly acknowledged: Map<
    string,
    { readonly id: string; readonly text: string; readonly key: string; readonly isRepeatable: boolean }
  >;
  /** Every check that was ever sent, with or without a response. */
  readonly asked: Set<string>;
  readonly faults: string[];
  /** When each replica last responded with a decision. */
  readonly answeredAtMs: number[];
  refused: number;
  replayed: number;
}

export const bodyOf = (objectRef: string): string =>
  JSON.stringify({
    ...{ system: 'crm', objectType: 'customer', objectRef, field: 'email', agentValue: 'ada@example.com' },
    requiredControls: ['identity'],
    controlEvidence: [{ controlId: 'identity', source: 'okta', result: 'PASS' }],
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends checks until it is stopped, with the keys in turn for each lane. Half of them have an idempotency key,
 * and are repeated until they get a response. A lane ends when its key has used up its month.
 */
export const startLoad = (
  replicas: readonly Replica[],
  keys: readonly string[],
  lanes: number,
  seed: number,
) => {
  const answers: Answers = {
    ...{ acknowledged: new Map(), asked: new Set(), faults: [], refused: 0, replayed: 0 },
    answeredAtMs: replicas.map(() => 0),
  };
  const random = seededRandom(seed);
  let isStopped = false;
  let next = 0;

  const ask = async (
    key: string,
    objectRef: string,
    idempotencyKey: string | null,
    to: number,
  ): Promise<boolean | 'used up'> => {
    const { url } = replicas[to]!;
    if (url === null) return false;
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${url}/v1/check-write`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
        },
        body: bodyOf(objectRef),
        signal: AbortSignal.timeout(10_000),
      });
      text = await response.text();
    } catch (error) {
      // A killed replica hangs up; one that never responds is an error.
      if (error instanceof Error && error.name === 'TimeoutError')
        answers.faults.push(`${objectRef}: no answer in 10 s`);
      return false;
    }
    if (response.status === 200) {
      const { decision_id: id, allowed } = JSON.parse(text) as { decision_id: string; allowed: boolean };
      if (!allowed) answers.faults.push(`${objectRef}: ${text}`);
      const before = answers.acknowledged.get(objectRef);
      if (before !== undefined && before.text !== text)
        answers.faults.push(`${objectRef}: answered twice, differently`);
      answers.acknowledged.set(objectRef, { id, text, key, isRepeatable: idempotencyKey !== null });
      answers.answeredAtMs[to] = performance.now();
      if (response.headers.has('idempotency-replayed')) answers.replayed += 1;
      return true;
    }
    answers.refused += 1;
    if (response.status === 429 && text.includes('quota_exceeded')) return 'used up';
    const isKnown =
      response.status === 503 || (response.status === 409 && text.includes('request_in_flight'));
    if (!isKnown || (response.status === 503 && !response.headers.has('retry-after')))
      answers.faults.push(`${objectRef}: ${response.status} ${text}`);
    return false;
  };

  const lane = async (key: string): Promise<void> => {
    while (!isStopped) {
      const objectRef = `o${next++}`;
      const idempotencyKey = random() < 0.5 ? objectRef : null;
      answers.asked.add(objectRef);
      while (!isStopped) {
        const isAnswered = await ask(key, objectRef, idempotencyKey, Math.floor(random() * replicas.length));
        if (isAnswered === 'used up') return;
        if (isAnswered && (idempotencyKey === null || random() < 0.9)) break;
        if (idempotencyKey === null) break;
        await pause(20);
      }
      await pause(2);
    }
  };
  const running = Array.from({ length: lanes }, (_, i) => lane(keys[i % keys.length]!));
  return {
    answers,
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
};
