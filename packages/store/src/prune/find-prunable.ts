/** Finds what a prune would erase, from the log itself: the search index may be behind. */
import { given } from '@writecheck/contract';
import { type Leaf, parseEntry, recordedIntent } from '@writecheck/ledger/log';
import { LATENESS_MS_MAX } from '../commit/lateness.ts';
import type { ErasureChoice, Prunable, PruneQuery } from '../port/erasures.ts';
import type { LogHead, Progress, Segment } from '../port/log.ts';
import { holdsText } from './holds-text.ts';
import { followedUntilMs, hasWordsToEmpty, isPrunableEntry, placeOf, prunableIn } from './prune-segment.ts';
import { type ReviewsAtPrune, type ReviewToKeep, reviewsAtPrune } from './reviews-at-prune.ts';

const SEGMENTS_AT_ONCE = 32;

/** A review that is not open, and its subject. */
export interface ClosedReview {
  readonly id: string;
  readonly object_ref: string | null;
  readonly document: string;
}

interface FindParts {
  logs(): Promise<readonly LogHead[]>;
  segments(log: string, fromIndex: number, limit: number): Promise<readonly Segment[]>;
  newestAtMs(): Promise<number>;
  unfinishedReviews(workspace: string | null): Promise<readonly ReviewToKeep[]>;
  closedReviews(workspace: string): Promise<readonly ClosedReview[]>;
  activeFreezeIds(): Promise<readonly string[]>;
  unsettledErasures(workspace: string): Promise<readonly string[]>;
}

/** The entries that reviews and freezes keep, as of now. */
export async function reviewsNow(
  parts: Pick<FindParts, 'unfinishedReviews' | 'activeFreezeIds' | 'newestAtMs'>,
  workspace: string | undefined,
): Promise<ReviewsAtPrune> {
  const { unfinishedReviews, activeFreezeIds, newestAtMs } = parts;
  return reviewsAtPrune(
    await unfinishedReviews(workspace ?? null),
    await newestAtMs(),
    await activeFreezeIds(),
  );
}

/** The criteria by which a query selects; a query by age alone selects every entry of every kind. */
function choicesOf({ beforeMs, decisionIds, keyId, objectRef, text }: PruneQuery): readonly ErasureChoice[] {
  const given = { age: beforeMs, decision: decisionIds, key: keyId, object: objectRef, text };
  return (Object.keys(given) as ErasureChoice[]).filter(
    (name) => given[name as keyof typeof given] !== undefined,
  );
}

export async function findPrunable(
  parts: FindParts,
  query: PruneQuery,
  progress?: Progress,
): Promise<Prunable> {
  const { workspace, beforeMs } = query;
  const chosenBy = choicesOf(query);
  const where = {
    ...given({ workspace, beforeMs }),
  };
  const reviews = await reviewsNow(parts, workspace);
  const counts = new Counts();
  if (chosenBy.every((choice) => choice === 'age')) {
    const untilMs = beforeMs === undefined ? undefined : followedUntilMs(beforeMs);
    await walk(parts, untilMs, progress, (stored) => {
      const entry = prunableIn(stored.leaf, where, reviews);
      if (entry !== null) counts.add(placeOf(entry).workspace, entry.kind === 'decision');
      else {
        const worded = hasWordsToEmpty(stored, where, reviews);
        if (worded !== null) counts.add(worded.workspace, false);
      }
    });
    return { ...where, chosenBy, only: null, traced: NONE, kept: [], counts: counts.all };
  }
  if (workspace === undefined) throw new TypeError('a prune of chosen decisions is one of a workspace');
  const traced = new Set(await parts.unsettledErasures(workspace));
  // The log is read twice: an entry that belongs to a decision may come before it, in the log of another
  // replica.
  const half = (before: 0 | 1): Progress | undefined =>
    progress && ((done, total) => progress(before * total + done, 2 * total));
  const { decisions, kept } = await findDecisions(parts, query, reviews, counts, half(0));
  for (const id of traced) decisions.add(id);
  const gone = await findReviews(parts, query, workspace, decisions, reviews);
  await walk(parts, undefined, half(1), ({ leaf }) => {
    const entry = prunableIn(leaf, { workspace }, reviews);
    if (entry === null || entry.kind === 'decision') return;
    if (entry.kind === 'review' ? gone.has(entry.review) : decisions.has(entry.decision_id))
      counts.add(workspace, false);
  });
  return { ...where, chosenBy, only: { decisions, reviews: gone }, traced, kept, counts: counts.all };
}

const NONE: ReadonlySet<string> = new Set();

async function findDecisions(
  parts: FindParts,
  query: PruneQuery,
  { keptDecisions, ...others }: ReviewsAtPrune,
  counts: Counts,
  progress: Progress | undefined,
) {
  const decisions = new Set<string>();
  const kept: string[] = [];
  const isWanted = matcherOf(query);
  const keepingNone = { ...others, keptDecisions: NONE };
  await walk(parts, query.beforeMs, progress, ({ leaf, record }) => {
    const entry = prunableIn(leaf, query, keepingNone);
    if (entry?.kind !== 'decision') return;
    const { decision_id: id } = entry.leaf;
    if (!isWanted(entry.leaf, record)) return;
    if (keptDecisions.has(id)) return void kept.push(id);
    decisions.add(id);
    counts.add(entry.leaf.workspace, true);
  });
  return { decisions, kept };
}

/** All criteria of the query must match. */
function matcherOf({ objectRef, keyId, decisionIds, text }: PruneQuery) {
  const named = decisionIds && new Set(decisionIds);
  return (leaf: Leaf, record: Uint8Array): boolean =>
    (named === undefined || named.has(leaf.decision_id)) &&
    (objectRef === undefined || recordedIntent(record).objectRef === objectRef) &&
    (keyId === undefined || leaf.keyId === keyId) &&
    (text === undefined || holdsText(record, text));
}

/** Closed reviews of the object, and those that came from erased decisions. */
async function findReviews(
  { closedReviews }: FindParts,
  { objectRef, beforeMs, keyId, decisionIds, text }: PruneQuery,
  workspace: string,
  decisions: ReadonlySet<string>,
  { kept }: ReviewsAtPrune,
): Promise<Set<string>> {
  // If another criterion applies too, an object's name is not enough.
  const isObjectEnough = [beforeMs, keyId, decisionIds, text].every((each) => each === undefined);
  const gone = new Set<string>();
  for (const { id, object_ref, document } of await closedReviews(workspace)) {
    if (kept.has(id)) continue;
    const { decisionId } = JSON.parse(document) as { readonly decisionId?: unknown };
    const isOfDecision = typeof decisionId === 'string' && decisions.has(decisionId);
    if (isOfDecision || (isObjectEnough && objectRef !== undefined && object_ref === objectRef)) gone.add(id);
  }
  return gone;
}

interface Counted {
  readonly entries: number;
  readonly decisions: number;
}

class Counts {
  readonly #of = new Map<string, Counted>();

  add(workspace: string, isDecision: boolean): void {
    const { entries, decisions } = this.#of.get(workspace) ?? { entries: 0, decisions: 0 };
    this.#of.set(workspace, { entries: entries + 1, decisions: decisions + Number(isDecision) });
  }

  get all(): ReadonlyMap<string, Counted> {
    return this.#of;
  }
}

/** Every entry of every log; if a time is given, each log only until everything is newer. */
async function walk(
  { logs, segments }: FindParts,
  beforeMs: number | undefined,
  progress: Progress | undefined,
  visit: (entry: Segment['entries'][number]) => void,
): Promise<void> {
  const heads = await logs();
  const total = heads.reduce((sum, { size }) => sum + size, 0);
  let seen = 0;
  for (const { log, size } of heads) {
    for (let from = 0; from < size; ) {
      const read = await segments(log, from, SEGMENTS_AT_ONCE);
      for (const { entries } of read) for (const entry of entries) visit(entry);
      const last = read.at(-1);
      if (last === undefined) break;
      from = last.firstIndex + last.entries.length;
      progress?.(Math.min(seen + from, total), total);
      if (beforeMs !== undefined && isAllLater(last, beforeMs)) break;
    }
    seen += size;
  }
}

/** INVARIANT: the commit refuses anything later than this, so everything after it is newer. */
function isAllLater({ entries }: Segment, beforeMs: number): boolean {
  return entries.some(({ leaf }) => {
    const entry = leaf.length === 0 ? null : parseEntry(leaf);
    return isPrunableEntry(entry) && Date.parse(placeOf(entry).timestamp) >= beforeMs + LATENESS_MS_MAX;
  });
}
