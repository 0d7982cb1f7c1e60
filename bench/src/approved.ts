/**
 * `npm run bench -- reviews`: what a check with an approval costs, compared with one whose item names another source and
 * is otherwise the same.
 */
import { connect, type Socket } from 'node:net';
import { atMost, median, type Row } from './report.ts';
import { requestOf } from './service.ts';
import { call, makeLiveKey, processorUs, type Service, startService } from './service-processes.ts';

/** How many reviews one key may open within an hour. */
const REVIEWS_OF_KEY = 60;
/** An approval is single-use, so every measured check needs its own. A workspace has at most 100 keys. */
const KEYS = 40;
const ROUNDS = 12;
const WARM_UP_ROUNDS = 3;
/**
 * Code is optimized only after it has run a few thousand times. A used approval is still looked up and judged, so the
 * warm-up sends each one again.
 */
const WARM_UP_REPEATS = 8;
const CONNECTIONS = 16;

function intentOf(objectRef: string, controlEvidence: readonly object[]): object {
  return {
    system: 'crm',
    objectType: 'customer',
    objectRef,
    field: 'email',
    agentValue: 'ada@example.com',
    requiredControls: ['approval'],
    controlEvidence,
  };
}

interface Pair {
  readonly approved: string;
  readonly plain: string;
}

async function preparePairs(service: Service): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (let each = 0; each < KEYS; each += 1) {
    const key = await makeLiveKey(service);
    const own = Array.from({ length: REVIEWS_OF_KEY }, (_, i) => preparePair(service, key, `${each}-${i}`));
    pairs.push(...(await Promise.all(own)));
  }
  return pairs;
}

async function preparePair(service: Service, key: string, name: string): Promise<Pair> {
  const objectRef = `approved-${name}`;
  const { decision_id } = await call(service, '/v1/check-write', key, intentOf(objectRef, []));
  const { id, intentDigest } = (await call(service, '/v1/reviews', key, { decision_id })).review;
  const verdict = { verdict: 'approve', intentDigest };
  await call(service, `/v1/reviews/${id}/verdicts`, service.ownerKey, verdict);
  const { evidence } = (await call(service, `/v1/reviews/${id}`, key)).review;
  const likeIt = evidence.map((item: object) => ({ ...item, source: 'desk' }));
  return {
    approved: requestOf(key, JSON.stringify(intentOf(objectRef, evidence))),
    plain: requestOf(key, JSON.stringify(intentOf(`plain---${name}`, likeIt))),
  };
}

/** Sends each request once, over some connections; fresh ones must be allowed. */
async function sendAll(port: number, requests: readonly string[], areFresh: boolean): Promise<void> {
  const left = [...requests];
  const lane = async (): Promise<void> => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    for (let request = left.pop(); request !== undefined; request = left.pop()) {
      socket.write(request);
      const text = await wholeResponse(socket);
      if (areFresh && !text.includes('"decision":"allow"')) throw new Error(text);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

function wholeResponse(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const receive = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
      if (end === -1 || text.length < end + 4 + length) return;
      socket.off('data', receive).off('error', reject);
      resolve(text);
    };
    socket.on('data', receive).once('error', reject);
  });
}

/** By CPU time, in rounds: occasional work of the service must not count for one side only. */
export async function benchApproved(): Promise<readonly Row[]> {
  const service = await startService();
  const pairs = await preparePairs(service);
  const ratios: number[] = [];
  const size = pairs.length / ROUNDS;
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = pairs.slice(round * size, (round + 1) * size);
    // Each comes first as often as second.
    const order = round % 2 === 0 ? (['plain', 'approved'] as const) : (['approved', 'plain'] as const);
    const spent = { plain: 0, approved: 0 };
    for (const which of order) {
      const before = processorUs(service.pid);
      const requests = own.map((pair) => pair[which]);
      await sendAll(service.port, requests, true);
      spent[which] = processorUs(service.pid) - before;
      if (round >= WARM_UP_ROUNDS) continue;
      for (let i = 0; i < WARM_UP_REPEATS; i += 1) await sendAll(service.port, requests, false);
    }
    const us = [spent.plain, spent.approved].map((each) => (each / size).toFixed(0));
    console.log(`us of CPU time a check: plain ${us[0]}, approved ${us[1]}`);
    if (round >= WARM_UP_ROUNDS) ratios.push(spent.approved / spent.plain);
  }
  await service.stop();
  return [atMost('a check with an approval / one with plain evidence', median(ratios), 1.5, 1.2)];
}
