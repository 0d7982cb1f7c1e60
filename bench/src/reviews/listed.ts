/** How long a page of 100,000 reviews takes, through every filter. */
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newId } from '@writecheck/service/support/ids/new-id';
import type { ReviewChange, StoredReview } from '@writecheck/store/port/reviews';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { quantile, type Row } from '../report.ts';
import { makeLiveKey, processorUs, startService } from '../service-processes.ts';
import { call, openReview } from './review-calls.ts';

const REVIEWS = 100_000;
/** How many reviews a workspace may have open. */
const OPEN_EVERY = 100;
const AT_ONCE = 1_000;
const ROUNDS = 40;
const CLOSED = ['approved', 'rejected', 'expired', 'cancelled'] as const;
const FILTERS = [
  '',
  '&state=open',
  '&state=approved',
  '&state=rejected',
  '&system=crm',
  '&controlId=approval',
  '&objectRef=object-77777',
  '&system=crm&controlId=approval&state=expired',
  '&for=me',
];

/** Copies of a real review, each for a different write. */
function copiesOf(real: StoredReview, from: number): readonly ReviewChange[] {
  const nowMs = Date.now();
  return Array.from({ length: AT_ONCE }, (_, i): ReviewChange => {
    const number = from + i;
    const isOpen = number % OPEN_EVERY === 0;
    const resolvedAtMs = isOpen ? null : nowMs - number * 1_000;
    const review: StoredReview = {
      ...real,
      version: 1,
      id: newId('rev_', nowMs),
      objectRef: `object-${number}`,
      intentDigest: `sha256:${hash('sha256', String(number))}`,
      likeness: hash('sha256', String(number)),
      state: isOpen ? 'open' : CLOSED[number % CLOSED.length]!,
      openedAtMs: nowMs - number * 1_000 - 60_000,
      expiresAtMs: nowMs + 1_000_000 + number,
      resolvedAtMs,
    };
    const { id, workspace, intentDigest } = review;
    const timestamp = new Date(nowMs).toISOString();
    const about = { review: id, workspace, intentDigest, timestamp };
    return { review, entries: [{ kind: 'review', event: 'commented', ...about, by: null, details: {} }] };
  });
}

export async function benchListed(): Promise<Row> {
  const folder = mkdtempSync(fileURLToPath(new URL('../../.data-', import.meta.url)));
  try {
    const first = await startService({ WRITECHECK_DATA: folder });
    const { ownerKey } = first;
    const { id } = await openReview(first, await makeLiveKey(first), 'listed');
    const { workspace } = await call(first, '/v1/me', ownerKey);
    await first.stop();
    const store = await openSqliteStore(folder);
    const [real] = await store.findReviews(workspace.id, [id]);
    const { isUsed: _, ...row } = real!;
    for (let from = 0; from < REVIEWS; from += AT_ONCE) await store.changeReviews(copiesOf(row, from));
    await store.close();

    const service = await startService({ WRITECHECK_DATA: folder });
    const times: number[] = [];
    let before = 0;
    for (let round = -2; round < ROUNDS; round += 1) {
      if (round === 0) before = processorUs(service.pid);
      for (const filter of FILTERS) {
        const startedAt = performance.now();
        const first = await call(service, `/v1/reviews?limit=50${filter}`, ownerKey);
        const afterFirst = performance.now();
        if (round >= 0) times.push(afterFirst - startedAt);
        if (first.nextCursor === null) continue;
        // The page after it is found by a cursor.
        await call(service, `/v1/reviews?limit=50${filter}&cursor=${first.nextCursor}`, ownerKey);
        if (round >= 0) times.push(performance.now() - afterFirst);
      }
    }
    const cpuMs = (processorUs(service.pid) - before) / 1_000 / times.length;
    await service.stop();
    times.sort((a, b) => a - b);
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    console.log(
      `a page of ${REVIEWS} reviews: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${cpuMs.toFixed(1)} ms of CPU time`,
    );
    const measure = `a page of ${REVIEWS} reviews, p99 in ms`;
    return { measure, value: p99, bar: 50, goal: 25, better: 'lower' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
