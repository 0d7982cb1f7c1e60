/** Changes by people and owner keys, as the log has them, with a proof that does not need the service. */
import { verifyEntry } from '@writecheck/ledger';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, check, PAUSED } from '../ask.ts';
import { type AuditedService, auditedService } from './audit-kit.ts';

let audited: AuditedService;
beforeAll(async () => {
  audited = await auditedService(3);
});
afterAll(() => audited.service.stop());

const at = (path: string, options: object = {}) =>
  ask(`${audited.service.url}${path}`, { key: audited.service.ownerKey, ...options });
const entriesAt = (time: string, options: object = {}) =>
  at(`/v1/audit/entries?at=${encodeURIComponent(time)}`, options);

test('every change has its entry at the time that its list says, proven by the published key', async () => {
  const controls = { approval: { assurance: 'attested', review: { identity: 'any' } } };
  const profile = { kind: 'Profile', id: 'all', match: { system: PAUSED.system }, require: ['approval'] };
  const documents = [{ kind: 'ControlPack', id: 'desk', controls }, profile];
  await at('/v1/policies', { method: 'PUT', json: { documents, confirmLoosening: true } });
  const paused = await check(audited.service, PAUSED, { key: audited.service.liveKey });
  const json = { decision_id: paused.body.decision_id };
  const opened = (await at('/v1/reviews', { json, key: audited.service.liveKey })).body.review;
  const verdict = { verdict: 'reject', intentDigest: opened.intentDigest, comment: 'No.' };
  const { review } = (await at(`/v1/reviews/${opened.id}/verdicts`, { json: verdict })).body;
  const invited = await at('/v1/people', {
    json: { name: 'Rita', email: 'rita@example.com', roles: ['reviewer'] },
  });
  expect(invited.status, invited.text).toBe(201);
  const frozen = await at('/v1/freezes', { json: { scope: { system: 'erp' }, reason: 'Looks odd.' } });
  expect(frozen.status, frozen.text).toBe(201);
  const { revisions } = (await at('/v1/policies/revisions')).body;
  const { changes } = (await at('/v1/people')).body;
  for (const [time, said] of [
    [revisions[0].createdAt, { kind: 'policy.applied', revision: revisions[0].revision }],
    [changes[0].at, { kind: 'person', event: 'invited' }],
    [frozen.body.freeze.createdAt, { kind: 'freeze.created', freeze: frozen.body.freeze.id }],
    [review.verdicts[0].at, { kind: 'review', event: 'verdict', review: opened.id }],
    [review.verdicts[0].at, { kind: 'review', event: 'rejected', review: opened.id }],
  ]) {
    const { status, body, text } = await entriesAt(time);
    expect(status, text).toBe(200);
    const proven = await Promise.all(
      body.entries.map(({ receipt }: { receipt: unknown }) => verifyEntry(receipt, audited.keys)),
    );
    expect(proven.every(({ ok }) => ok)).toBe(true);
    expect(proven.map(({ entry }) => entry)).toContainEqual(
      expect.objectContaining({ ...said, timestamp: time }),
    );
  }
});

test('a decision is not a change, and nothing was changed a millisecond later', async () => {
  const { body } = await check(audited.service, PAUSED, { key: audited.service.liveKey });
  const of = async (time: string) => (await entriesAt(time)).body.entries;
  expect(await of(body.timestamp)).toEqual([]);
  const { createdAt } = (await at('/v1/keys', { json: { kind: 'live', name: 'agent' } })).body.key;
  expect(await of(createdAt)).toHaveLength(1);
  expect(await of(new Date(Date.parse(createdAt) + 1).toISOString())).toEqual([]);
  expect(await of('2020-01-01T00:00:00Z')).toEqual([]);
  expect(await of('2120-01-01T00:00:00Z')).toEqual([]);
});

test('another workspace sees none of it, a checking key may not list it, and an invalid time is refused', async () => {
  const made = await at('/v1/keys', { json: { kind: 'live', name: 'one more' } });
  const { createdAt } = made.body.key;
  const other = await ask(`${audited.service.url}/v1/workspaces`, { json: { name: 'other' } });
  const key = other.body.ownerKey;
  expect((await entriesAt(createdAt, { key })).body).toEqual({ entries: [] });
  expect((await entriesAt(createdAt, { key: audited.service.liveKey })).status).toBe(403);
  expect(await entriesAt('yesterday')).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid_request' } },
  });
  expect((await at('/v1/audit/entries')).status).toBe(422);
});

test('a receipt of an entry that was changed, moved or signed by another proves nothing', async () => {
  const made = await at('/v1/keys', { json: { kind: 'live', name: 'another' } });
  const [{ receipt }] = (await entriesAt(made.body.key.createdAt)).body.entries;
  expect(await verifyEntry(receipt, audited.keys)).toMatchObject({ ok: true, index: receipt.index });
  const leaf = Buffer.from(Buffer.from(receipt.leaf, 'base64').toString().replace('live', 'evil')).toString(
    'base64',
  );
  for (const [forged, reason] of [
    [{ ...receipt, leaf }, 'forged_proof'],
    [{ ...receipt, index: receipt.index - 1 }, 'forged_proof'],
    [{ ...receipt, treeSize: receipt.treeSize + 1 }, 'forged_proof'],
    [{ ...receipt, version: 'v2' }, 'malformed_receipt'],
    [{}, 'malformed_receipt'],
  ])
    expect(await verifyEntry(forged, audited.keys)).toMatchObject({ ok: false, reason });
  expect(await verifyEntry(receipt, [])).toMatchObject({ ok: false, reason: 'invalid_argument' });
});
