import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takePort } from '@writecheck/service/edge/listen';
import { startService } from '@writecheck/service/runtime/open-store';
import { openStoreFor } from '@writecheck/service/runtime/threads/start-failure';
import { loadConfig } from '@writecheck/service/support/config/load-config';
import type { Config } from '@writecheck/service/support/config/settings';
import { createLog } from '@writecheck/service/support/observability/log';
import { afterAll, expect, test } from 'vitest';
import { ask } from '../../../../service/test/ask.ts';
import { fillDemo, refuseUnlessNew } from './fill-demo.ts';
import { serveDemo } from './serve-demo.ts';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-demo-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function config(more: { readonly [name: string]: string } = {}): Config {
  const loaded = loadConfig({}, { port: '0', data: join(folder, 'demo'), logLevel: 'error', ...more });
  if (loaded.kind === 'invalid') throw new Error(loaded.faults.join('\n'));
  return loaded.config;
}

test('the demo fills an empty store with a week, two attacks and open reviews, and refuses any other store', async () => {
  await expect(refuseUnlessNew(config())).resolves.toBeUndefined();
  const { ownerKey: key, invitationToken } = await fillDemo(config(), 5);
  expect(invitationToken).toMatch(/^#wck_inv_/);
  await expect(refuseUnlessNew(config())).rejects.toThrow(/holds a store already/);

  const log = createLog('error');
  const store = await openStoreFor(config(), log);
  const service = await startService({ config: config(), store, log });
  const read = async (path: string) => (await ask(`${service.url}${path}`, { key })).body;
  const { reviews } = await read('/v1/reviews?state=open&limit=100');
  const shown = reviews.map(({ intent }: { intent: { objectRef: string } }) => intent.objectRef);
  expect(shown).toEqual(expect.arrayContaining(['V-1016', 'PAY-74199', 'V-1027']));
  expect(reviews.length).toBeGreaterThanOrEqual(8);
  const { decisions } = await read('/v1/decisions?limit=100&objectRef=V-1016');
  expect(decisions.map(({ reason_code }: { reason_code: string }) => reason_code)).toEqual([
    'authority_mismatch',
    'authority_mismatch',
    'authority_mismatch',
  ]);
  const { keys } = await read('/v1/keys');
  expect(keys.length).toBe(7);
  await service.stop({ idleGraceMs: 0 });
});

test('the demo makes up nothing if its port is taken', async () => {
  const holder = await takePort(0, '127.0.0.1');
  const data = join(folder, 'port-taken');
  try {
    await expect(serveDemo({ data, port: String(holder.port) })).rejects.toThrow(/port/);
    expect(existsSync(data)).toBe(false);
  } finally {
    holder.release();
  }
});

test('the demo refuses a database, a policy folder and the hosted plan', async () => {
  const refused = (more: { readonly [name: string]: string }) => refuseUnlessNew(config(more));
  const elsewhere = { data: join(folder, 'empty') };
  await expect(refused({ ...elsewhere, databaseUrl: 'postgres://u@localhost/x' })).rejects.toThrow(
    /WRITECHECK_DATABASE_URL/,
  );
  writeFileSync(join(folder, 'p.yaml'), '');
  await expect(refused({ ...elsewhere, policies: folder })).rejects.toThrow(/WRITECHECK_POLICIES/);
  await expect(refused({ ...elsewhere, plan: 'hosted' })).rejects.toThrow(/hosted/);
});
