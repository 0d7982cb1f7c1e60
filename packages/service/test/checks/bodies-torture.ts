/** Malformed bodies over real HTTP: none is a server error, none an allow, none is charged. */
import { parseIntent } from '@writecheck/contract';
import { seededRandom } from '../../../../scripts/seeded-random.ts';
import { ALLOWED, ask } from '../ask.ts';
import { rawSocket } from '../raw-socket.ts';
import { startTestService, type TestService } from '../start-service.ts';

const AT_ONCE = 25;
const CONNECTIONS = 8;

function randomFrom(seed: number): (below: number) => number {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
}

const FULL = {
  ...ALLOWED,
  schemaVersion: 'write_intent.v1',
  authorityValue: 'a',
  authoritySource: 's',
  authorityFound: true,
  runId: 'r',
  metadata: { agent: 'bot', context: { amount: 1 } },
};
const WRONG = [
  null,
  5,
  -0,
  Number.MAX_VALUE,
  true,
  '',
  ' ',
  'x'.repeat(300),
  [],
  {},
  [null],
  '\ud800',
  { __proto__: 1 },
  ['a', 'a'],
  2 ** 53,
];
const PIECES = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\\u0000',
  '\\ud800',
  '1e999',
  '-',
  '\u0000',
  '\ufeff',
  'null',
  '__proto__',
  '"system":"x",',
  '/**/',
  "'",
];

function malformed(random: (below: number) => number): Buffer {
  const name = () => Object.keys(FULL)[random(Object.keys(FULL).length)]!;
  const text = JSON.stringify(FULL);
  switch (random(9)) {
    case 0:
      return Buffer.from(text.slice(0, random(text.length)));
    case 1: {
      const bytes = Buffer.from(text);
      for (let flips = 1 + random(4); flips > 0; flips -= 1) bytes[random(bytes.length)] = random(256);
      return bytes;
    }
    case 2: {
      const at = random(text.length);
      return Buffer.from(text.slice(0, at) + PIECES[random(PIECES.length)] + text.slice(at));
    }
    case 3:
      return Buffer.from(JSON.stringify({ ...FULL, [name()]: WRONG[random(WRONG.length)] }));
    case 4:
      return Buffer.from(Array.from({ length: random(400) }, () => random(256)));
    case 5:
      return Buffer.from('[{"a":'[random(6)]!.repeat(1 + random(2_000)));
    case 6: {
      const { [name() as 'system']: _left, ...rest } = FULL;
      return Buffer.from(JSON.stringify({ ...rest, [`${name()}s`]: 1, [name().toUpperCase()]: 1 }));
    }
    case 7:
      return Buffer.from(`{"${name()}":1,${text.slice(1)}`);
    default:
      return Buffer.from(
        JSON.stringify({
          ...FULL,
          controlEvidence: [WRONG[random(WRONG.length)], { controlId: WRONG[random(WRONG.length)] }],
        }),
      );
  }
}

/** Returns a description of each error found. */
export const tortureBodies = async (count: number, seed: number): Promise<readonly string[]> => {
  const service = await startTestService({ settings: { logLevel: 'warn' } });
  try {
    return await sendAll(service, count, seed);
  } finally {
    await service.stop();
  }
};

const ANSWER = /HTTP\/1\.1 (\d+)[\s\S]*?"timestamp":/g;

async function sendAll(service: TestService, count: number, seed: number): Promise<readonly string[]> {
  const random = randomFrom(seed);
  const faults: string[] = [];
  const statuses = new Map<string, number>();
  let sent = 0;
  const head = `Host: x\r\nAuthorization: Bearer ${service.liveKey}\r\nContent-Type: application/json\r\nContent-Length: `;
  const speak = async () => {
    const { socket } = await rawSocket(service.url);
    socket.setEncoding('latin1');
    socket.setMaxListeners(0);
    const again: Buffer[] = [];
    while (sent < count || again.length > 0) {
      const bodies = again.splice(0);
      while (bodies.length < AT_ONCE && sent < count) {
        const body = malformed(random);
        // A body that happens to be a valid intent is not tested here.
        if (parseIntent(body).kind !== 'refused') continue;
        bodies.push(body);
        sent += 1;
      }
      const path = sent % 2 === 0 ? '/v1/check-write' : '/api/v1/check-write';
      const answered = new Promise<string>((resolve, reject) => {
        let text = '';
        const onClose = () => reject(new Error(`closed after ${text.slice(-500)}`));
        const take = (chunk: string) => {
          text += chunk;
          if (
            (text.match(/"timestamp":"[^"]*"\}/g) ?? []).length + (text.match(/"decision":/g) ?? []).length <
            bodies.length
          )
            return;
          socket.off('data', take).off('close', onClose);
          resolve(text);
        };
        socket.on('data', take).once('close', onClose);
      });
      for (const body of bodies) {
        socket.write(`POST ${path} HTTP/1.1\r\n${head}${body.length}\r\n\r\n`);
        socket.write(body);
      }
      const text = await answered;
      for (const [i, [answer, status]] of [...text.matchAll(ANSWER)].entries()) {
        const code = /"code":"(\w+)"/.exec(answer)?.[1];
        // A busy machine may refuse a body before it is read; it is sent until it is.
        if (code === 'overloaded') again.push(bodies[i]!);
        else {
          const named = status! < '500' ? status! : `${status} ${code}`;
          statuses.set(named, (statuses.get(named) ?? 0) + 1);
        }
      }
      if (text.includes('"decision":') || text.includes('"allowed":true')) faults.push(`decided: ${text}`);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, speak));
  for (const [status, times] of statuses) {
    if (status !== '400' && status !== '422') faults.push(`${times} were answered with ${status}`);
  }
  const answers = [...statuses.values()].reduce((sum, times) => sum + times, 0);
  if (answers !== count) faults.push(`${count} bodies had ${answers} answers`);
  const usage = await ask(`${service.url}/v1/usage`, { key: service.ownerKey });
  if (usage.body.live.used !== 0) faults.push(`${usage.body.live.used} were charged`);
  const { decisions } = (await ask(`${service.url}/v1/decisions`, { key: service.ownerKey })).body;
  if (decisions.length !== 0) faults.push(`${decisions.length} decisions were recorded`);
  if (service.logged() !== '') faults.push(`the log says: ${service.logged().slice(0, 2_000)}`);
  return faults;
}

/** Runs `npm run torture -- bodies [count] [seed]`. */
export const torture = async (args: readonly string[]) => {
  const [count = 2_000_000, seed = Date.now() % 2 ** 32] = args.map(Number);
  return {
    claim: 'malformed bodies over HTTP: no 5xx, no allow, no charge',
    count: `${count} bodies`,
    seed: String(seed),
    faults: await tortureBodies(count, seed),
  };
};
