/** Turns entries of the log into events of webhooks, by one table of the entries' kinds and events. */
import { RESOURCE_CHANGES, WEBHOOK_TITLES, type WebhookEventType } from '@writecheck/contract';
import type { Store, StoredKey } from '@writecheck/store/port';
import type { NotableEntry } from '@writecheck/store/port/webhooks';
import { type Review, reviewOf } from '../reviews/review.ts';
import { cut, cutTarget, type EventData, type WebhookEvent } from './event-types.ts';

export interface Links {
  readonly decision: (id: string) => string;
  readonly review: (id: string) => string;
}

export interface EntrySources {
  readonly store: Pick<Store, 'findReviews' | 'listKeys'>;
  readonly links: Links;
}

/** What entries name by id only. */
interface Named {
  readonly reviews: ReadonlyMap<string, Review>;
  readonly keys: ReadonlyMap<string, StoredKey>;
}

type Entry = NotableEntry['entry'];
type Read = (noted: NotableEntry, named: Named, links: Links) => EventData;

/**
 * Readers by an event's type or its first word. An entry is an event if it has a reader here and a title.
 * `log/notable-entries.ts` of the store passes on an allow only if it took a limit to a threshold.
 */
const READS: { readonly [entry: string]: Read } = {
  decision: decisionData,
  'decision.outcome': outcomeData,
  limit: limitData,
  review: reviewEntryData,
  freeze: freezeData,
  policy: policyData,
  key: keyData,
  person: personData,
  ...Object.fromEntries(Object.entries(RESOURCE_CHANGES).map(([kind, { of }]) => [kind, changeData(of)])),
};

const DECIDED: { readonly [decision: string]: WebhookEventType } = {
  pause: 'decision.paused',
  block: 'decision.blocked',
};

interface EntryEvent {
  readonly type: WebhookEventType;
  readonly read: Read;
}

/** The events that an entry is for webhooks, if any. */
export function eventsOf(entry: Entry): readonly EntryEvent[] {
  return typesOf(entry).flatMap((type) => {
    if (!Object.hasOwn(WEBHOOK_TITLES, type)) return [];
    const read = READS[type] ?? READS[type.split('.', 1)[0]!];
    return read === undefined ? [] : { type: type as WebhookEventType, read };
  });
}

function typesOf({ kind, event, decision, reason_code: code, loosened }: Entry): readonly string[] {
  if (kind === undefined) {
    const decided = DECIDED[String(decision)];
    // Stopped writes could flood webhooks with events, so only the freeze itself is one.
    return decided === undefined || code === 'frozen' ? [] : [decided];
  }
  if (kind === 'policy.applied' && loosened === true) return [kind, 'policy.loosened'];
  if (kind === 'key.rotated') return ['key.created'];
  return [event === undefined ? String(kind) : `${kind}.${event}`];
}

/** Entries of one workspace, in the log's order; those that are not events are left out. */
export async function eventsOfEntries(
  { store, links }: EntrySources,
  workspace: string,
  log: string,
  noted: readonly NotableEntry[],
): Promise<readonly (WebhookEvent & { readonly index: number })[]> {
  const ids = new Set(noted.map(({ entry }) => entry.review).filter((id) => typeof id === 'string'));
  const found = ids.size === 0 ? [] : await store.findReviews(workspace, [...ids]);
  const keys = noted.some(({ entry }) => entry.key !== undefined) ? await store.listKeys(workspace) : [];
  const named: Named = {
    reviews: new Map(found.map((review) => [review.id, reviewOf(review)])),
    keys: new Map(keys.map((key) => [key.id, key])),
  };
  return noted.flatMap((one) => {
    const { entry, index } = one;
    return eventsOf(entry).map(({ type, read }, i) => {
      // One allow may take several limits to a threshold.
      const which = entry.kind === 'limit' ? ` ${entry.limit}` : i === 0 ? '' : ` ${type}`;
      const key = `${log} ${index}${which}`;
      return { index, key, type, atMs: Date.parse(String(entry.timestamp)), data: read(one, named, links) };
    });
  });
}

function decisionData({ entry, target, runId }: NotableEntry, _named: unknown, links: Links): EventData {
  const id = String(entry.decision_id);
  return {
    workspace: entry.workspace,
    decisionId: id,
    auditId: entry.audit_id,
    decision: entry.decision,
    evaluatedDecision: entry.evaluatedDecision,
    reasonCode: entry.reason_code,
    keyId: entry.keyId,
    keyKind: entry.keyKind,
    target: target === null ? null : cutTarget(target),
    runId: runId === null ? null : cut(runId),
    url: links.decision(id),
  };
}

/** INVARIANT: the digest of the group, never its values. */
function limitData({ entry }: NotableEntry, _named: unknown, links: Links): EventData {
  const id = String(entry.decision_id);
  return {
    workspace: entry.workspace,
    limitId: entry.limit,
    group: entry.group,
    percent: entry.percent,
    keyKind: entry.keyKind,
    decisionId: id,
    url: links.decision(id),
  };
}

function reviewEntryData({ entry }: NotableEntry, { reviews }: Named, links: Links): EventData {
  const { because } = entry.details as { readonly because?: unknown };
  const state = entry.event === 'opened' ? 'open' : entry.event;
  return {
    ...reviewData(String(entry.review), String(entry.workspace), reviews.get(String(entry.review)), links),
    state,
    because: because ?? null,
  };
}

/** The data that stays the same over a review's life. A pruned review has only its id. */
export function reviewData(
  id: string,
  workspace: string,
  review: Review | undefined,
  links: Links,
): EventData {
  return {
    workspace,
    reviewId: id,
    decisionId: review?.write.decisionId ?? null,
    keyKind: review?.write.keyKind ?? null,
    controls: review?.controls.map(({ controlId }) => cut(controlId)) ?? [],
    ...(review === undefined ? UNKNOWN_WRITE : writeOf(review)),
    externalRef: externalRefOf(review),
    openedAt: review === undefined ? null : new Date(review.openedAtMs).toISOString(),
    expiresAt: review === undefined ? null : new Date(review.expiresAtMs).toISOString(),
    url: links.review(id),
  };
}

const UNKNOWN_WRITE = { target: null, runId: null };

/** The first link that a caller gave, so that its receiver finds its own ticket again. */
function externalRefOf(review: Review | undefined): string | null {
  const link = review?.askedBy.find(({ externalRef }) => externalRef !== null)?.externalRef;
  return link === undefined || link === null ? null : cut(link);
}

function writeOf({ write }: Review): EventData {
  const intent = JSON.parse(write.intentText) as { readonly [member: string]: unknown };
  const text = (member: string): string | null => {
    const value = intent[member];
    return typeof value === 'string' ? value : null;
  };
  const target = cutTarget({
    system: write.system,
    objectRef: write.objectRef,
    objectType: text('objectType'),
    field: text('field'),
    operation: text('operation'),
  });
  const runId = text('runId');
  return { target, runId: runId === null ? null : cut(runId) };
}

/** Ids, and which writes it stops: the texts are only for those who may read them. */
function freezeData({ entry }: NotableEntry): EventData {
  const { workspace, freeze, number, scope, until, by } = entry;
  const common = { workspace, freezeId: freeze, number, by: by ?? null };
  return entry.kind === 'freeze.created' ? { ...common, scope, until } : common;
}

function outcomeData({ entry }: NotableEntry, _named: unknown, links: Links): EventData {
  const { workspace, decision_id: decisionId, result, at, by } = entry;
  return { workspace, decisionId, result, at, by, url: links.decision(String(decisionId)) };
}

function policyData({ entry }: NotableEntry): EventData {
  const { workspace, revision, digest, rollbackOf = null } = entry;
  const by = entry.by as { readonly kind: string; readonly id: string };
  return {
    workspace,
    revision,
    digest,
    rollbackOf,
    keyId: by.kind === 'owner_key' || by.kind === 'service_key' ? by.id : null,
    personId: by.kind === 'person' ? by.id : null,
  };
}

/** A rotation creates a key. */
function keyData({ entry }: NotableEntry, { keys }: Named): EventData {
  const keyId = String(entry.replacement ?? entry.key);
  return { workspace: entry.workspace, keyId, kind: entry.keyKind, name: cut(keys.get(keyId)?.name ?? '') };
}

function changeData(of: string): Read {
  return ({ entry: { workspace, by, [of]: id } }) => ({ workspace, [`${of}Id`]: id, by });
}

function personData({ entry }: NotableEntry): EventData {
  const { by } = entry as { readonly by?: { readonly kind: unknown; readonly id: unknown } | null };
  return {
    workspace: entry.workspace,
    personId: entry.person ?? null,
    by: by === undefined || by === null ? null : { kind: by.kind, id: by.id },
  };
}
