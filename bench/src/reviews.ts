/**
 * `npm run bench -- reviews`: what a check with an approval costs, what waiting callers cost the others, and that a
 * check without an approval pays for neither. Ratios only, in interleaved rounds.
 */
import { connect, type Socket } from 'node:net';
import { median, type Row } from './report.ts';
import { requestOf } from './service.ts';
import { makeLiveKey, processorUs, type Service, startLoad, startService } from './service-processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
/** What one key may open within an hour. */
const REVIEWS_OF_KEY = 60;
const WAITS = 1_000;
const WAITS_OF_KEY = 20;
const CONNECTIONS = 16;

const PLAIN_ITEM = { controlId: 'approval', source: 'desk', result: 'PASS' };

function intentOf(objectRef: string, controlEvidence: readonly object[]): object {
  return {
    ...{ system: 'crm', objectType: 'customer', objectRef, field: 'email', agentValue: 'ada@example.com' },
    requiredControls: ['approval'],
    controlEvidence,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the bench reads what the service says.
async function call({ port }: Service, path: string, key: string, json?: object): Promise<any> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** One review of a new write, opened by this key. */
async function openReview(service: Service, key: string, objectRef: string) {
  const { decision_id } = await call(service, '/v1/check-write', key, intentOf(objectRef, []));
  return (await call(service, '/v1/reviews', key, { decision_id })).review;
}

/** As many checks as one key may have reviews, each with an approval of its own. */
async function approvedRequests(service: Service, round: number): Promise<readonly string[]> {
  const key = await makeLiveKey(service);
  return Promise.all(
    Array.from({ length: REVIEWS_OF_KEY }, async (_, i) => {
      const objectRef = `approved-${round}-${i}`;
      const { id, intentDigest } = await openReview(service, key, objectRef);
      await call(service, `/v1/reviews/${id}/verdicts`, service.ownerKey, {
        verdict: 'approve',
        intentDigest,
      });
      const { review } = await call(service, `/v1/reviews/${id}`, key);
      return requestOf(key, JSON.stringify(intentOf(objectRef, review.evidence)));
    }),
  );
}

/** Sends each request once, over some connections; how long it took, in milliseconds. Every one must be allowed. */
async function timeAll(port: number, requests: readonly string[]): Promise<number> {
  const left = [...requests];
  const lane = async (): Promise<void> => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    for (let request = left.pop(); request !== undefined; request = left.pop()) {
      socket.write(request);
      const text = await wholeResponse(socket);
      if (!text.includes('"decision":"allow"')) throw new Error(text);
    }
    socket.destroy();
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return performance.now() - startedAt;
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

/** By CPU time over all rounds: one round alone takes too few ticks. */
async function approvedAgainstPlain(service: Service): Promise<number> {
  const key = await makeLiveKey(service);
  const spent = { plain: 0, approved: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const approved = await approvedRequests(service, round);
    const plain = approved.map((_, i) =>
      requestOf(key, JSON.stringify(intentOf(`plain-${round}-${i}`, [PLAIN_ITEM]))),
    );
    const before = processorUs(service.pid);
    const plainMs = await timeAll(service.port, plain);
    const between = processorUs(service.pid);
    const approvedMs = await timeAll(service.port, approved);
    console.log(
      `${plain.length} checks: plain ${plainMs.toFixed(1)} ms, approved ${approvedMs.toFixed(1)} ms`,
    );
    // The first round warms up.
    if (round === 0) continue;
    spent.plain += between - before;
    spent.approved += processorUs(service.pid) - between;
  }
  const checks = (ROUNDS - 1) * REVIEWS_OF_KEY;
  const [plain, approved] = [spent.plain, spent.approved].map((us) => (us / checks).toFixed(0));
  console.log(`us of CPU time a check: plain ${plain}, approved ${approved}`);
  return spent.approved / spent.plain;
}

const QUIET_MS = 300;
const QUIET_US = 30_000;

/** Until the service is done with connections that came or left. */
async function quiet({ pid }: Service): Promise<void> {
  for (let before = -QUIET_US; processorUs(pid) - before >= QUIET_US; ) {
    before = processorUs(pid);
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

/** Connections that wait until they are destroyed. */
async function holdWaits(service: Service, waiting: readonly string[]): Promise<readonly Socket[]> {
  const sockets = waiting.map((request) => {
    const socket = connect({ port: service.port, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.write(request);
    return socket;
  });
  await quiet(service);
  if (sockets.some((socket) => socket.bytesRead > 0)) throw new Error('a wait was not held');
  return sockets;
}

async function waitRequests(service: Service): Promise<readonly string[]> {
  const requests: string[] = [];
  for (let key = 0; key < WAITS / WAITS_OF_KEY; key += 1) {
    const secret = await makeLiveKey(service);
    const { id } = await openReview(service, secret, `waited-${key}`);
    const head = `GET /v1/reviews/${id}?wait=50 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${secret}\r\n\r\n`;
    requests.push(...Array<string>(WAITS_OF_KEY).fill(head));
  }
  return requests;
}

export async function benchReviews(): Promise<readonly Row[]> {
  const [service, without] = await Promise.all([startService(), startService()]);
  const approved = await approvedAgainstPlain(service);

  const load = await startLoad();
  const body = JSON.stringify(intentOf('plain', [PLAIN_ITEM]));
  const order = { connections: CONNECTIONS, warmUpMs: 200, measureMs: 1_000 };
  const request = requestOf(await makeLiveKey(service), body);
  const elsewhere = requestOf(await makeLiveKey(without), body);
  const waiting = await waitRequests(service);
  const [beside, among]: [number[], number[]] = [[], []];
  /** CPU time of one check: other programs on the machine change the clock's time much more. */
  const costUs = async (target: Service, sent: string): Promise<number> => {
    const before = processorUs(target.pid);
    const { answersInAll } = await load.apply({ ...order, port: target.port, request: sent });
    return (processorUs(target.pid) - before) / answersInAll;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = await costUs(without, elsewhere);
    const alone = await costUs(service, request);
    const sockets = await holdWaits(service, waiting);
    const held = await costUs(service, request);
    for (const socket of sockets) socket.destroy();
    await quiet(service);
    const shown = [bare, alone, held].map((us) => us.toFixed(0));
    console.log(
      `us of CPU time a check: ${shown[0]} without reviews, ${shown[1]} beside them, ${shown[2]} with ${WAITS} waits`,
    );
    if (round === 0) continue;
    beside.push(alone / bare);
    among.push(held / alone);
  }
  await Promise.all([load.stop(), service.stop(), without.stop()]);
  const reviews = ROUNDS * REVIEWS_OF_KEY + WAITS / WAITS_OF_KEY;
  return [
    {
      measure: 'a check with an approval / one with plain evidence',
      ...{ value: approved, bar: 1.5, goal: 1.3, better: 'lower' },
    },
    {
      measure: `checks without an approval: beside ${reviews} reviews / without any`,
      ...{ value: median(beside), bar: 1.1, goal: 1.05, better: 'lower' },
    },
    {
      measure: `checks while ${WAITS} callers wait / while nobody waits`,
      ...{ value: median(among), bar: 1.1, goal: 1.05, better: 'lower' },
    },
  ];
}
