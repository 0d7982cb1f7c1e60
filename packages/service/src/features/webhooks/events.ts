/** Turns entries of the log into events, which have the names of the entries' kinds. */
import { EVENT_SENTENCES, REVIEW_STATES, type WebhookEventType } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import type { NotableEntry, NotableTarget } from '@writecheck/store/port/webhooks';
import { type Review, reviewOf } from '../reviews/review.ts';

export interface Links {
  readonly decision: (id: string) => string;
  readonly review: (id: string) => string;
}

/** INVARIANT: ids, outcomes, codes and the target; neither values nor evidence, and no text over 200 characters. */
export type EventData = { readonly [member: string]: unknown };

export interface WebhookEvent {
  /** The place of its entry in the log. */
  readonly index: number;
  readonly type: WebhookEventType;
  readonly atMs: number;
  readonly data: EventData;
}

/** The members that an event takes from its entry, and their names in the event. */
const SHOWN: { readonly [member: string]: string } = {
  workspace: 'workspace',
  by: 'by',
  decision_id: 'decisionId',
  audit_id: 'auditId',
  decision: 'decision',
  evaluatedDecision: 'evaluatedDecision',
  reason_code: 'reasonCode',
  keyId: 'keyId',
  keyKind: 'keyKind',
  key: 'keyId',
  replacement: 'replacementKeyId',
  review: 'reviewId',
  person: 'personId',
  webhook: 'webhookId',
  freeze: 'freezeId',
  number: 'number',
  scope: 'scope',
  until: 'until',
  revision: 'revision',
  digest: 'digest',
  rollbackOf: 'rollbackOf',
  loosened: 'loosened',
  result: 'result',
  at: 'at',
  limit: 'limitId',
  group: 'group',
  source: 'source',
  erasure: 'erasureId',
  decisionCount: 'decisionCount',
  entryCount: 'entryCount',
};

const DECIDED: { readonly [decision: string]: WebhookEventType } = {
  pause: 'decision.paused',
  block: 'decision.blocked',
};

/** Null if webhooks do not report the entry. */
export function eventOf({ kind, event, ...decided }: NotableEntry['entry']): WebhookEventType | null {
  if (kind === undefined) {
    // A freeze could stop thousands of writes, so only the freeze itself is an event.
    return decided.reason_code === 'frozen' ? null : (DECIDED[String(decided.decision)] ?? null);
  }
  const type = event === undefined ? String(kind) : `${kind}.${event}`;
  return Object.hasOwn(EVENT_SENTENCES, type) ? (type as WebhookEventType) : null;
}

/** The events of entries of one workspace, in the log's order. */
export async function eventsOf(
  { store, links }: { readonly store: Pick<Store, 'findReviews'>; readonly links: Links },
  workspace: string,
  entries: readonly NotableEntry[],
): Promise<readonly WebhookEvent[]> {
  const ids = new Set(entries.map(({ entry }) => entry.review).filter((id) => typeof id === 'string'));
  const found = ids.size === 0 ? [] : await store.findReviews(workspace, [...ids]);
  const reviews = new Map(found.map((review) => [review.id, reviewOf(review)]));
  return entries.flatMap((noted) => {
    const { index, entry } = noted;
    const type = eventOf(entry);
    if (type === null) return [];
    const data = { ...shownIn(entry), ...moreOf(noted, reviews, links) };
    return { index, type, atMs: Date.parse(String(entry.timestamp)), data };
  });
}

function shownIn(entry: NotableEntry['entry']): EventData {
  const shown = Object.entries(SHOWN).flatMap(([member, name]) => {
    const value = entry[member];
    return value === undefined ? [] : [[name, typeof value === 'string' ? cut(value) : value]];
  });
  return Object.fromEntries(shown);
}

/** What the entry does not contain: the write, and a link to it. */
function moreOf(
  { entry, target, runId }: NotableEntry,
  reviews: ReadonlyMap<string, Review>,
  links: Links,
): EventData {
  if (entry.kind === 'review') return reviewData(entry, reviews.get(String(entry.review)), links);
  const url = entry.decision_id === undefined ? {} : { url: links.decision(String(entry.decision_id)) };
  return target === null ? url : { target: cutTarget(target), runId: cutOrNull(runId), ...url };
}

/** A pruned review has only its ids. */
function reviewData(
  { review: id, event, details }: NotableEntry['entry'],
  review: Review | undefined,
  links: Links,
): EventData {
  const { because = null, verdict } = details as { readonly because?: unknown; readonly verdict?: unknown };
  const { write, askedBy = [], openedAtMs, expiresAtMs } = review ?? {};
  // The first link that a caller gave, so that its receiver finds its own ticket again.
  const externalRef = askedBy.find((asker) => asker.externalRef !== null)?.externalRef;
  return {
    state: REVIEW_STATES.find((state) => state === event) ?? 'open',
    because,
    ...(verdict === undefined ? {} : { verdict }),
    decisionId: write?.decisionId ?? null,
    keyKind: write?.keyKind ?? null,
    controls: review?.controls.map(({ controlId }) => cut(controlId)) ?? [],
    ...(write === undefined ? { target: null, runId: null } : writeOf(write)),
    externalRef: cutOrNull(externalRef),
    openedAt: timeOrNull(openedAtMs),
    expiresAt: timeOrNull(expiresAtMs),
    url: links.review(String(id)),
  };
}

function writeOf({ system, objectRef, intentText }: Review['write']): EventData {
  const intent = JSON.parse(intentText) as { readonly [member: string]: string | undefined };
  const { objectType = null, field = null, operation = null, runId = null } = intent;
  return { target: cutTarget({ system, objectType, objectRef, field, operation }), runId: cutOrNull(runId) };
}

function cutTarget({ system, objectType, objectRef, field, operation }: NotableTarget): NotableTarget {
  return {
    system: cut(system),
    objectType: cutOrNull(objectType),
    objectRef: cutOrNull(objectRef),
    field: cutOrNull(field),
    operation: cutOrNull(operation),
  };
}

const TEXT_CHARACTERS_MAX = 200;

/** Never cuts within a character. */
export function cut(text: string): string {
  return [...text.slice(0, 2 * TEXT_CHARACTERS_MAX)].slice(0, TEXT_CHARACTERS_MAX).join('');
}

function cutOrNull(text: unknown): string | null {
  return typeof text === 'string' ? cut(text) : null;
}

function timeOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
