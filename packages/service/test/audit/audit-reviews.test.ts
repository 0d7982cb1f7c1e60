/**
 * Reviews as an auditor and an operator see them: exports, restored backups, a moved store.
 */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { REVIEW_DESK } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import type { ReviewChange, StoredReview } from '@writecheck/store/port/reviews';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  entryOf,
  newReview,
  next,
  opening,
} from '../../../store/test/store-contract/store-contract-reviews-values.ts';
import { commitTo, newRequest } from '../../../store/test/store-contract/store-contract-values.ts';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ask, check, PAUSED } from '../ask.ts';
import { callWritecheck } from '../call-writecheck.ts';
import { startTestService } from '../start-service.ts';
import { copyOf, exportOf, newFolder, verdictOf } from './audit-kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

const OBJECT = '=HYPERLINK("x"),\n';

/** A review with two approvals, one of them withdrawn before, as the pure functions above the store would make it. */
const approvedReview = async (store: Store, workspace: string, decisionId: string, intentDigest: string) => {
  const atMs = Date.now();
  const document = JSON.stringify({
    decisionId,
    because: null,
    validUntilMs: atMs + 3_600_000,
    odd: 'a\u0000\\0',
  });
  const times = { openedAtMs: atMs, expiresAtMs: atMs + 86_400_000 };
  const review = newReview(workspace, { intentDigest, document, objectRef: OBJECT, ...times });
  const openedEntry = { ...entryOf(review, 'opened', atMs), details: { decisionId } };
  const verdictOfPerson = (id: string) => ({
    ...entryOf(review, 'verdict', atMs),
    ...{ by: { kind: 'person', id } as const },
    details: {
      verdict: 'approve',
      controls: ['approval'],
      identity: 'person',
      comment: null,
      assertion: null,
    },
  });
  const withdrawn = { ...entryOf(review, 'withdrawn', atMs), by: { kind: 'person', id: 'per_2' } as const };
  const changes: ReviewChange[] = [{ ...opening(review), entries: [openedEntry] }];
  let row: StoredReview = review;
  for (const entry of [verdictOfPerson('per_2'), withdrawn, verdictOfPerson('per_1')]) {
    const change = next(row, 'commented', {}, atMs);
    changes.push({ ...change, entries: [entry] });
    row = change.review;
  }
  changes.push(next(row, 'approved', { state: 'approved', resolvedAtMs: atMs }, atMs));
  for (const change of changes) expect(await store.changeReviews([change])).toEqual({ kind: 'changed' });
  return changes.at(-1)!.review;
};

/** A stopped service with two approved reviews, one of them used. */
const reviewed = async () => {
  const folder = newFolder();
  const service = await startTestService({ folder });
  const { store, workspace, liveKey, ownerKey } = service;
  const of = async (agentValue: string) => {
    const { body } = await check(service, { ...PAUSED, objectRef: OBJECT, agentValue }, { key: liveKey });
    return approvedReview(store, workspace, body.decision_id, body.intentDigest);
  };
  const [used, unused] = [await of('one'), await of('two')];
  await commitTo(store, [
    newRequest(workspace, { atMs: Date.now(), consumes: [{ source: REVIEW_DESK, jti: used.id }] }),
  ]);
  const keys = (await ask(`${service.url}/v1/audit/key`)).text;
  const lines = await exportOf(service);
  await service.stop();
  return { folder, workspace, ownerKey, keys, lines, used, unused };
};

test('an export with reviews verifies', async () => {
  const { folder, workspace, keys, lines } = await reviewed();
  const verdict = await verdictOf(lines, { keys, workspace });
  expect(verdict).toMatchObject({ ok: true, counts: { reviewEntries: 10, decisions: 3 } });
  rmSync(folder, { recursive: true });
});

test('after a restored backup every approval is cancelled and revoked, in the log that continues it', async () => {
  const { folder, workspace, ownerKey, keys, used, unused } = await reviewed();
  const copy = copyOf(folder);
  const restored = await callWritecheck(['audit', 'restore', '--no-freeze', '--data', copy]);
  expect(restored.stdout, restored.stderr).toContain('cancelled 2 approved reviews');
  const service = await startTestService({ folder: copy });
  const reviews = await service.store.findReviews(workspace, [used.id, unused.id]);
  for (const review of reviews) {
    expect(review).toMatchObject({ state: 'cancelled', version: 6, resolvedAtMs: expect.any(Number) });
    const before = review.id === used.id ? used : unused;
    expect(JSON.parse(review.document)).toEqual({ ...JSON.parse(before.document), because: 'cancelled' });
    const items = [review.id, `${review.id}:approval`].map((jti) => ({ source: REVIEW_DESK, jti }));
    const states = await service.store.attestationStates(workspace, items);
    expect(states.map(({ revoked }) => revoked)).toEqual([true, true]);
  }
  const lines = await exportOf({ ...service, ownerKey });
  const verdict = await verdictOf(lines, { keys, workspace });
  expect(verdict).toMatchObject({ ok: true, counts: { reviewEntries: 12, continuations: 1 } });
  await service.stop();
  const again = await callWritecheck(['audit', 'restore', '--no-freeze', '--data', copy]);
  expect(again.stdout).not.toContain('cancelled');
  for (const each of [folder, copy]) rmSync(each, { recursive: true });
});

test('reviews move to PostgreSQL, with used and withdrawn approvals', async () => {
  const { folder, workspace, used, unused } = await reviewed();
  const service = await startTestService({ folder });
  const atMs = await service.store.newestAtMs();
  const cancelling = { ...next(unused, 'cancelled', { state: 'cancelled' }, atMs), revokes: true } as const;
  expect(await service.store.changeReviews([cancelling])).toEqual({ kind: 'changed' });
  const longRef = 'C-\u0000-'.repeat(100);
  await service.store.changeReviews([opening(newReview(workspace, { objectRef: longRef }), atMs)]);
  const readAll = async (store: Store) => ({
    all: await store.listReviews({ workspace, limit: 10 }),
    ofObject: await store.listReviews({ workspace, limit: 10, objectRef: longRef }),
    ofKey: await store.listReviews({ workspace, limit: 10, askedByAnyOf: ['key_1'], state: 'approved' }),
    states: await store.attestationStates(
      workspace,
      [used.id, unused.id, `${unused.id}:approval`].map((jti) => ({ source: REVIEW_DESK, jti })),
    ),
  });
  const before = await readAll(service.store);
  expect(before.ofObject).toMatchObject({ reviews: [{ objectRef: longRef }] });
  expect(before.ofKey).toMatchObject({ reviews: [{ id: used.id, isUsed: true }] });
  await service.stop();
  const url = await server.newDatabase();
  const migrated = await callWritecheck(['migrate-store', '--data', folder, '--database-url', url]);
  expect(migrated.stderr).toBe('');
  const store = await openPostgresStore(url);
  expect(await readAll(store)).toEqual(before);
  const [row] = await store.findReviews(workspace, [used.id]);
  const { isUsed: _, ...review } = row!;
  const change = next(review, 'cancelled', { state: 'cancelled' }, atMs);
  expect(await store.changeReviews([change])).toEqual({ kind: 'changed' });
  await store.close();
  const key = ['--signing-key', join(folder, 'signing-key.pem')];
  const restored = await callWritecheck([
    'audit',
    'restore',
    '--no-freeze',
    '--data',
    newFolder(),
    '--database-url',
    url,
    ...key,
  ]);
  expect(restored.stderr).toBe('');
  expect(readFileSync(join(folder, 'signing-key.pem'), 'utf8')).toContain('PRIVATE KEY');
  await onServer(url, async (client) => {
    const { rows } = await client.query(
      "SELECT count(*)::int AS n FROM writecheck.review WHERE state = 'approved'",
    );
    expect(rows).toEqual([{ n: 0 }]);
  });
  rmSync(folder, { recursive: true });
});
