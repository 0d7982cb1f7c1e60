/** What happened around a write: decisions about the same object, its last allowed value, and other open reviews of it. */
import type { DecisionSummary, Review } from '@writecheck/api';
import { areLookAlikes } from '@writecheck/contract';
import { type Reply, success } from '../../api.ts';
import { listDecisions } from '../../calls/decisions.ts';
import { listReviews } from '../../calls/reviews.ts';
import { type Load, useLoad } from '../../use-load.ts';
import { keptDetail, readDetails } from '../decision/details.ts';
import { allowsThatMay, type Use, useOf } from './use-of-approval.ts';
import type { Around, LastAllowed } from './warnings.ts';

export interface Surroundings extends Around {
  /** Newest first. */
  readonly decisions: readonly DecisionSummary[];
  readonly areMore: boolean;
  /** Other open reviews of the object, conflicting or not. */
  readonly alsoOpen: readonly Review[];
  readonly lastAllowed: LastAllowed | null;
  /** The allow that used this review's approval. */
  readonly usedBy: Use | null;
}

const LOOKED_THROUGH = 50;
/** Values are in the decisions themselves, each of which costs a request. */
const READ_MAX = 12;
const DAY_MS = 86_400_000;

export function useSurroundings(review: Review): Load<Surroundings> {
  // A verdict changes what is open and used; a poll that changes nothing reads nothing again.
  return useLoad(`around ${review.id} ${review.state} ${review.because}`, (signal) => around(review, signal));
}

async function around(review: Review, signal: AbortSignal): Promise<Reply<Surroundings>> {
  const { system, objectType = null, objectRef } = review.intent;
  if (typeof objectRef !== 'string') return success(NONE);
  const object = { system: String(system), objectRef };
  const [listed, open] = await Promise.all([
    listDecisions({ ...object, limit: String(LOOKED_THROUGH) }, signal),
    listReviews({ ...object, state: 'open' }, signal),
  ]);
  if (listed.kind === 'failure') return listed;
  if (open.kind === 'failure') return open;
  const decisions = listed.value.decisions.filter((row) => row.objectType === objectType);
  const rows = decisions.filter(
    ({ field, operation }) =>
      field === (review.intent.field ?? null) && operation === (review.intent.operation ?? null),
  );
  const stopped = rows.filter(
    ({ decision_id, decision, reason_code, timestamp }) =>
      decision_id !== review.decisionId &&
      decision !== 'allow' &&
      reason_code === 'authority_mismatch' &&
      Date.now() - Date.parse(timestamp) < DAY_MS,
  );
  const allowed = rows.filter(({ decision }) => decision === 'allow');
  const wanted = [...allowsThatMay(review, allowed), ...allowed.slice(0, 2), ...stopped]
    .slice(0, READ_MAX)
    .map(({ decision_id }) => decision_id);
  await readDetails(wanted, signal);
  const alsoOpen = open.value.reviews.filter(
    ({ id, intent }) => id !== review.id && (intent.objectType ?? null) === objectType,
  );
  const used = useOf(review, allowed, (id) => keptDetail(id)?.response.intentDigest);
  const value: Surroundings = {
    decisions: decisions.filter(({ decision_id }) => decision_id !== review.decisionId),
    areMore: listed.value.nextCursor !== null,
    lookAlikes: stopped.filter(({ decision_id }) => isLookAlike(decision_id)).length,
    // Ignore the write that this review allowed.
    lastAllowed: lastAllowed(allowed.filter(({ decision_id }) => decision_id !== used?.decisionId)),
    usedBy: used,
    alsoOpen,
    conflicting: alsoOpen.filter((other) => conflicts(other, review)),
  };
  return success(value);
}

const NONE: Surroundings = {
  decisions: [],
  areMore: false,
  lookAlikes: 0,
  lastAllowed: null,
  usedBy: null,
  alsoOpen: [],
  conflicting: [],
};

function isLookAlike(id: string): boolean {
  const { agentValue, authorityValue } = keptDetail(id)?.intent ?? {};
  return areLookAlikes(agentValue as string | undefined, authorityValue as string | undefined);
}

function lastAllowed(allowed: readonly DecisionSummary[]): LastAllowed | null {
  const [last] = allowed;
  const value = last === undefined ? undefined : keptDetail(last.decision_id)?.intent.agentValue;
  if (last === undefined || typeof value !== 'string') return null;
  return { value, decisionId: last.decision_id, at: last.timestamp };
}

/** Two writes of one member that cannot both stand. */
function conflicts({ intent: other }: Review, { intent }: Review): boolean {
  return (
    typeof intent.field === 'string' && other.field === intent.field && other.agentValue !== intent.agentValue
  );
}
