import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verdictChallenge, verifyExport } from '@writecheck/ledger';
import { takePort } from '@writecheck/service/edge/listen';
import { startService } from '@writecheck/service/runtime/open-store';
import { openStoreFor } from '@writecheck/service/runtime/threads/start-failure';
import { loadConfig } from '@writecheck/service/support/config/load-config';
import type { Config } from '@writecheck/service/support/config/settings';
import { createLog } from '@writecheck/service/support/observability/log';
import { afterAll, expect, test } from 'vitest';
import { SoftAuthenticator } from '../../../../ledger/test/soft-authenticator.ts';
import { ask } from '../../../../service/test/ask.ts';
import { askAgainOnceJoined } from './ask-again.ts';
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
  const demo = await fillDemo(config(), 0.1);
  const { ownerKey: key, invitationToken } = demo;
  expect(invitationToken).toMatch(/^#wck_inv_/);
  await expect(refuseUnlessNew(config())).rejects.toThrow(/holds a store already/);

  const log = createLog('error');
  const store = await openStoreFor(config());
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

  // The agents took what they were allowed, and most reported it.
  const { decisions: allowed } = await read('/v1/decisions?limit=100&decision=allow');
  const details = await Promise.all(
    allowed.map(({ decision_id }: { decision_id: string }) => read(`/v1/decisions/${decision_id}`)),
  );
  expect(details.every(({ redemption }) => redemption !== undefined)).toBe(true);
  const ends = details.map(({ outcome }) => outcome?.result ?? 'none');
  expect(new Set(ends)).toEqual(new Set(['done', 'failed', 'unknown', 'none']));
  expect(ends.filter((end) => end === 'done').length).toBeGreaterThan(ends.length / 2);

  // Passkeys signed the verdicts of the week, and the export proves it.
  const { reviews: closed } = await read('/v1/reviews?limit=100');
  const verdicts = closed.flatMap((review: { verdicts: readonly object[] }) => review.verdicts);
  expect(verdicts.length).toBeGreaterThan(0);
  expect(new Set(verdicts.map(({ identity }: { identity: string }) => identity))).toEqual(
    new Set(['passkey']),
  );
  const exported = await fetch(`${service.url}/v1/audit/export`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const lines = (await exported.text()).trimEnd().split('\n');
  const verifierKeys = await (await fetch(`${service.url}/v1/audit/key`)).text();
  const verdict = await verifyExport(lines, { keys: verifierKeys });
  expect(verdict, JSON.stringify(verdict)).toMatchObject({ ok: true, counts: { otherEntries: 0 } });

  // An owner key decides no bank details; the visitor does, once the agents have asked again.
  const mine = await read('/v1/reviews?state=open&for=me&limit=100');
  expect(mine.reviews.every(({ intent }: { intent: { field?: string } }) => intent.field !== 'iban')).toBe(
    true,
  );
  const asking = askAgainOnceJoined(demo, service.url);
  const token = invitationToken.slice(1);
  const post = (path: string, json: object, key?: string) =>
    ask(`${service.url}${path}`, { json, ...(key !== undefined && { key }) });
  const device = new SoftAuthenticator(`http://localhost:${new URL(service.url).port}`);
  const begun = (await post('/v1/invitations/begin', { token })).body;
  const credential = device.create(begun.options);
  const joined = await post('/v1/invitations/finish', { token, credential });
  expect(joined.status, joined.text).toBe(201);
  await asking;
  const { session, person } = joined.body;
  const waiting = (await ask(`${service.url}/v1/reviews?state=open&for=me&limit=100`, { key: session.token }))
    .body;
  const attack = waiting.reviews.find(
    ({ intent }: { intent: { objectRef: string } }) => intent.objectRef === 'V-1016',
  );
  const statement = { workspace: demo.workspace.id, review: attack.id, intentDigest: attack.intentDigest };
  const controls = attack.controls.map(({ controlId }: { controlId: string }) => controlId);
  const said = { verdict: 'reject', comment: 'Cyrillic.' } as const;
  const assertion = device.assertion(verdictChallenge({ ...statement, controls, by: person.id, ...said }));
  const sent = { ...said, intentDigest: attack.intentDigest, assertion };
  const rejected = await post(`/v1/reviews/${attack.id}/verdicts`, sent, session.token);
  expect(rejected.body.review).toMatchObject({ state: 'rejected', verdicts: [{ identity: 'passkey' }] });
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
