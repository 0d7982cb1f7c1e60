/** The queries on a grown store, over HTTP if a caller would use HTTP. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exportLog } from '@writecheck/service/features/audit/export-log';
import type { Store } from '@writecheck/store/port';
import { quantile } from '../report.ts';
import type { Service } from '../service-processes.ts';

const CALLS = Number(process.env.BENCH_CALLS ?? 200);
const EXPORT_MS = Number(process.env.BENCH_EXPORT_MS ?? 20_000);

/** Each with values that differ from call to call. */
export const LISTS: { readonly [question: string]: (i: number, decisions: number) => string } = {
  'first page': () => '',
  'a page of 200': () => 'limit=200',
  'by object': (i) => `objectRef=V-${(i * 7919) % 50_000}`,
  'by run': (i, decisions) => `runId=run-${(i * 104_729) % Math.floor(decisions / 100)}`,
  'by workflow': () => 'workflowId=invoices',
  'by system': (i) => `system=${['erp', 'crm'][i % 2]}`,
  'by decision': (i) => `decision=${['pause', 'block'][i % 2]}`,
  'by reason': () => 'reason_code=authority_mismatch',
  'by day': (i) => {
    const from = Date.now() - ((i % 360) + 3) * 86_400_000;
    return `from=${new Date(from).toISOString()}&to=${new Date(from + 86_400_000).toISOString()}`;
  },
};
export const FINDS_NOTHING: typeof LISTS = {
  'no such system': (i) => `system=nosuch${i}`,
  'no such reason': () => 'reason_code=policy_error',
  'no such key': () => `keyId=key_${'0'.repeat(32)}`,
  'no such object': (i) => `objectRef=none-${i}`,
  'no such workflow': (i) => `workflowId=none-${i}`,
  'no such run': (i) => `runId=none-${i}`,
  'system and reason, never together': () => 'system=nosuch&decision=block',
  'allows with a reason they never have': () => 'decision=allow&reason_code=authority_mismatch',
  'workflow and reason, never together': () => 'workflowId=invoices&reason_code=policy_error',
};

interface Timed {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly found: number;
}

/** One call at a time. */
export async function timeList(
  { port, ownerKey }: Pick<Service, 'port' | 'ownerKey'>,
  query: (i: number, decisions: number) => string,
  decisions: number,
): Promise<Timed> {
  const times: number[] = [];
  let found = 0;
  const beganMs = performance.now();
  for (let i = 0; i < CALLS; i += 1) {
    const startedMs = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/v1/decisions?${query(i, decisions)}`, {
      headers: { authorization: `Bearer ${ownerKey}` },
    });
    const body = (await response.json()) as { readonly decisions?: readonly unknown[] };
    if (response.status !== 200) throw new Error(`${query(i, decisions)}: ${JSON.stringify(body)}`);
    times.push(performance.now() - startedMs);
    found = Math.max(found, body.decisions?.length ?? 0);
    // A query that takes seconds needs no two hundred responses.
    if (performance.now() - beganMs > 20_000) break;
  }
  times.sort((a, b) => a - b);
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), found };
}

/** Lines a second over some time, as the route makes them. */
export async function timeExport(store: Store, workspace: string, note: string): Promise<number> {
  const heads = await store.logs();
  const notary = {
    newest: async (log: string) => {
      const { size, frontier } = heads.find((head) => head.log === log)!;
      return { log, size, frontier, note };
    },
  };
  let lines = 0;
  const startedMs = performance.now();
  for await (const text of exportLog({ store, notary }, { workspace })) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
    if (performance.now() - startedMs > EXPORT_MS) break;
  }
  return lines / ((performance.now() - startedMs) / 1_000);
}

const CLI = fileURLToPath(new URL('../../../packages/cli/src/writecheck.ts', import.meta.url));

/**
 * As every night: exports the entries after the checkpoint and verifies them. Resolves with the output of the
 * command.
 */
export async function verifySince(
  { port, ownerKey }: Pick<Service, 'port' | 'ownerKey'>,
  folder: string,
  note: string,
): Promise<string> {
  const file = (name: string): string => join(folder, name);
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(file('trusted'), note);
  writeFileSync(file('keys'), await (await fetch(`${url}/v1/audit/key`)).text());
  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, ['--conditions=writecheck-source', CLI, 'audit', ...args], {
      env: { ...process.env, WRITECHECK_URL: url, WRITECHECK_OWNER_KEY: ownerKey },
    });
  const night = file('night.ndjson.zst');
  const since = ['--since', file('trusted')];
  await run('export', ...since, '--out', night);
  const { stdout } = await run('verify', night, '--keys', file('keys'), ...since);
  return stdout.trim();
}
