/** `npm run bench -- service`: compares the durable check with a durable echo server and Cerbos, in interleaved rounds. */
import { startCerbos } from './peer-cerbos.ts';
import { atLeast, atMost, median, type Row } from './report.ts';
import type { LoadOrder, LoadResult } from './service-load.ts';
import {
  call,
  makeLiveKey,
  processorUs,
  type Service,
  startEcho,
  startLoad,
  startService,
  type Target,
} from './service-processes.ts';

/** Many short rounds, because on a busy machine speed changes within seconds. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 11);
const LONG_RUN_MS = Number(process.env.BENCH_LONG_MS ?? 60_000);
const CONTROLS = ['identity', 'authority', 'approval', 'dual_control', 'sanctions'];
const SOURCES = ['okta', 'vendor-master', 'service-desk', 'service-desk', 'watchlist'];

const POLICY = [
  {
    kind: 'ControlPack',
    id: 'finance-core',
    version: '3',
    controls: Object.fromEntries(CONTROLS.map((id, i) => [id, { maxAge: '24h', sources: [SOURCES[i]] }])),
  },
  {
    kind: 'Profile',
    id: 'vendor-bank-details',
    version: '1',
    controlPack: 'finance-core',
    match: { system: 'erp', objectType: 'vendor', field: ['iban', 'account_number'] },
    require: CONTROLS,
    authority: 'required',
    writePolicy: 'block_on_mismatch',
  },
];

/** About 1.6 KB: five required controls, each with its evidence. */
export function benchBody(): string {
  const checkedAt = new Date().toISOString();
  return JSON.stringify({
    schemaVersion: 'write_intent.v1',
    system: 'erp',
    objectType: 'vendor',
    objectRef: 'V-100423',
    field: 'iban',
    agentValue: 'DE89370400440532013000',
    authorityValue: 'DE89370400440532013000',
    authoritySource: 'vendor-master',
    authorityFound: true,
    operation: 'vendor.update',
    runId: 'run-2026-11-15-000042',
    requiredControls: CONTROLS,
    controlEvidence: CONTROLS.map((controlId, i) => ({
      controlId,
      source: SOURCES[i],
      result: 'PASS',
      checkedAt,
      evidenceRef: `https://evidence.example.com/${SOURCES[i]}/checks/2026/11/15/${controlId}-000042`,
    })),
    metadata: {
      agent: 'accounts-payable-agent/2.4',
      context: { amount: 1250.5, currency: 'EUR', invoice: 'INV-2026-004711', country: 'DE', attempt: 1 },
    },
  });
}

export function requestOf(key: string, body: string): string {
  return [
    'POST /v1/check-write HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Authorization: Bearer ${key}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** The same caller's request to another path, with another body. */
export function sentTo(path: string, request: string, body: string): string {
  const head = request.slice(0, request.indexOf('\r\n\r\n')).replace('/v1/check-write', path);
  return `${head.replace(/Content-Length: \d+/, `Content-Length: ${Buffer.byteLength(body)}`)}\r\n\r\n${body}`;
}

/** `more` are documents in addition to those of every bench. */
export async function prepare(
  service: Service,
  body: string,
  ...more: readonly object[]
): Promise<{ readonly request: string; readonly answer: string }> {
  await call(service, '/v1/policies', service.ownerKey, { documents: [...POLICY, ...more] }, 'PUT');
  const key = await makeLiveKey(service);
  const answer = JSON.stringify(await call(service, '/v1/check-write', key, JSON.parse(body)));
  if (JSON.parse(answer).decision !== 'allow') throw new Error(`the bench needs an allow, not ${answer}`);
  return { request: requestOf(key, body), answer };
}

const shown = ({ perSecond, p50Ms, p99Ms }: LoadResult, cpuUs: number): string =>
  `${Math.round(perSecond).toString().padStart(6)} a second, p50 ${p50Ms.toFixed(3)} ms, p99 ${p99Ms.toFixed(3)} ms, ` +
  `${cpuUs.toFixed(1)} us of CPU time each`;

export async function benchService(): Promise<readonly Row[]> {
  const body = benchBody();
  const service = await startService();
  const { request, answer } = await prepare(service, body);
  const echo = await startEcho(answer, true);
  const cerbos = await startCerbos(body);
  const load = await startLoad();
  console.log(`request ${Buffer.byteLength(body)} bytes, answer ${Buffer.byteLength(answer)} bytes`);

  const order = { request, warmUpMs: 300, measureMs: 1_000 };
  const measure = async (
    name: string,
    { port, pid }: Target,
    rest: Partial<LoadOrder> & { connections: number },
  ) => {
    const before = processorUs(pid);
    const result = await load.apply({ ...order, port, ...rest });
    const cpuUs = (processorUs(pid) - before) / result.answersInAll;
    console.log(
      `${name.padEnd(9)} ${String(rest.connections).padStart(3)} connections ${shown(result, cpuUs)}`,
    );
    return result;
  };
  // The first round of each warms up.
  await measure('echo', echo, { connections: 64 });
  await measure('service', service, { connections: 64, measureMs: 3_000 });
  const measureCerbos = async () =>
    cerbos === null ? null : measure('cerbos', cerbos, { connections: 64, request: cerbos.request });
  await measureCerbos();
  const ratios: number[] = [];
  const singles: number[] = [];
  const cerbosRatios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const echoMany = await measure('echo', echo, { connections: 64 });
    const many = await measure('service', service, { connections: 64 });
    const peer = await measureCerbos();
    const echoOne = await measure('echo', echo, { connections: 1, measureMs: 500 });
    const one = await measure('service', service, { connections: 1, measureMs: 500 });
    ratios.push(many.perSecond / echoMany.perSecond);
    if (peer !== null) cerbosRatios.push(many.perSecond / peer.perSecond);
    singles.push(one.p50Ms / echoOne.p50Ms);
  }
  const rows: Row[] = [
    atLeast('durable check / durable echo, 64 connections', median(ratios), 0.5, 0.65),
    atMost("1 connection: p50 / durable echo's p50", median(singles), 2.5, 2),
  ];
  if (cerbosRatios.length > 0) {
    rows.push(atLeast('durable check / Cerbos with file audit, 64 connections', median(cerbosRatios), 4, 8));
  }
  if (LONG_RUN_MS > 0) {
    const long = await measure('service', service, { connections: 64, measureMs: LONG_RUN_MS });
    rows.push(
      atMost(`64 connections: p99 / own p50, over ${LONG_RUN_MS / 1_000} s`, long.p99Ms / long.p50Ms, 4, 2.5),
    );
  }
  rows.push(atMost('start to listening on empty SQLite, seconds', service.startMs / 1_000, 0.8, 0.4));
  await Promise.all([load, echo, service, cerbos].map((process) => process?.stop()));
  return rows;
}
