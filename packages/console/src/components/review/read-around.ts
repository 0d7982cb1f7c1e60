/** The decisions about the object of a review, and what they warn of. Lists keep the warnings for a minute: each costs a request. */
import type { DecisionSummary, Review } from '@writecheck/api';
import { DAY_MS, MINUTE_MS } from '@writecheck/contract';
import { type Reply, success } from '../../api.ts';
import { listDecisions } from '../../calls/decisions.ts';
import { keptDetail, lookAlikesIn, readDetails } from '../decision/details.ts';
import { allowsThatMay, type Use, useOf } from './use-of-approval.ts';
import { type Around, type LastAllowed, NOTHING_AROUND } from './warnings.ts';

export interface AroundDecisions extends Around {
  /** Others about the object, newest first. */
  readonly decisions: readonly DecisionSummary[];
  readonly areMore: boolean;
  readonly lastAllowed: LastAllowed | null;
  /** The allow that used this review's approval. */
  readonly usedBy: Use | null;
}

const LOOKED_THROUGH = 50;
/** Values are in the decisions themselves, each of which costs a request. */
const READ_MAX = 12;
const NONE: AroundDecisions = {
  decisions: [],
  areMore: false,
  lookAlikes: 0,
  conflicting: [],
  lastAllowed: null,
  usedBy: null,
};

/** INVARIANT: what may matter and was not read is `isUnread`, never silently nothing. */
export async function readAround(review: Review, signal: AbortSignal): Promise<Reply<AroundDecisions>> {
  const { system, objectType = null, objectRef, field = null, operation = null } = review.intent;
  if (typeof objectRef !== 'string') return success(NONE);
  const asked = { system: String(system), objectRef, limit: String(LOOKED_THROUGH) };
  const listed = await listDecisions(asked, signal);
  if (listed.kind === 'failure') return listed;
  const areMore = listed.value.nextCursor !== null;
  const ofObject = listed.value.decisions.filter((row) => row.objectType === objectType);
  const decisions = ofObject.filter(({ decision_id }) => decision_id !== review.decisionId);
  const rows = ofObject.filter((row) => row.field === field && row.operation === operation);
  const stopped = rows.filter(
    (row) =>
      row.decision_id !== review.decisionId &&
      row.decision !== 'allow' &&
      row.reason_code === 'authority_mismatch' &&
      Date.now() - Date.parse(row.timestamp) < DAY_MS,
  );
  const allowed = rows.filter(({ decision }) => decision === 'allow');
  const wanted = [...new Set([...allowsThatMay(review, allowed), ...allowed.slice(0, 2), ...stopped])];
  const read = wanted.slice(0, READ_MAX).map(({ decision_id }) => decision_id);
  await readDetails(read, signal);
  const usedBy = useOf(review, allowed, (id) => keptDetail(id)?.response.intentDigest);
  // Ignore the write that this review allowed.
  const last = allowed.find(({ decision_id }) => decision_id !== usedBy?.decisionId);
  const oldest = listed.value.decisions.at(-1);
  // The warning about another value counts a day from the request, the one about look-alikes a day from now.
  const fromMs = Math.min(Date.now(), Date.parse(review.openedAt)) - DAY_MS;
  const isMissing = ({ decision_id: id, timestamp }: DecisionSummary) =>
    Date.parse(timestamp) >= fromMs && keptDetail(id) === undefined;
  return success({
    decisions,
    areMore,
    lookAlikes: stopped.filter(({ decision_id }) => lookAlikesIn(decision_id) !== null).length,
    conflicting: [],
    lastAllowed: last === undefined ? null : asLastAllowed(last),
    usedBy,
    isUnread:
      [...stopped, ...(last === undefined ? [] : [last])].some(isMissing) ||
      (areMore && oldest !== undefined && Date.parse(oldest.timestamp) >= fromMs),
  });
}

function asLastAllowed({ decision_id: decisionId, timestamp: at }: DecisionSummary): LastAllowed | null {
  const value = keptDetail(decisionId)?.intent.agentValue;
  return typeof value === 'string' ? { value, decisionId, at } : null;
}

const known = new Map<string, { readonly around: Around; readonly atMs: number }>();
const KEPT_MS = MINUTE_MS;
const KEPT_MAX = 1_000;
/** The number read in one go; the next look at the list reads more. */
const LISTED_MAX = 60;
const AT_ONCE = 6;

/** What a list knows of a review: as it was read within the last minutes, and the others that it contradicts. */
export function knownAround({ id }: Review, conflicting: readonly Review[] = []): Around {
  return { ...NOTHING_AROUND, ...known.get(id)?.around, conflicting };
}

/** Those that a list does not know, or knows from more than a minute ago. */
export function unknownAround(reviews: readonly Review[], nowMs = Date.now()): readonly Review[] {
  return reviews.filter(({ id }) => nowMs - (known.get(id)?.atMs ?? 0) > KEPT_MS).slice(0, LISTED_MAX);
}

/** A failure leaves the rest unmarked until the next look. The batch and the page read it again, and count what is missing as a warning. */
export async function lookAround(reviews: readonly Review[], signal: AbortSignal): Promise<void> {
  for (let at = 0; at < reviews.length; at += AT_ONCE) {
    const some = reviews.slice(at, at + AT_ONCE);
    const read = await Promise.all(some.map((review) => readAround(review, signal)));
    if (signal.aborted) return;
    if (known.size > KEPT_MAX) known.clear();
    for (const [index, outcome] of read.entries()) {
      if (outcome.kind === 'failure') return;
      const { lookAlikes, lastAllowed, isUnread = false } = outcome.value;
      const around = { lookAlikes, lastAllowed, isUnread, conflicting: [] };
      known.set(some[index]!.id, { around, atMs: Date.now() });
    }
  }
}
