/**
 * The entries that a verifier proves and lists without further conclusions: what changed how decisions are
 * made, and by whom. Only ids, never a name, an address or a secret.
 */
import {
  canonicalJson,
  type FreezeScope,
  isFreezeScope,
  RESOURCE_CHANGES,
  type WebhookEventType,
} from '@writecheck/contract';
import type { Check } from './exact-entry.ts';
import { isCanonical, isInstant, isLogName, isText, type ParsedObject } from './leaf.ts';
import { isDigest } from './sha256.ts';

type AuthorKind = 'person' | 'owner_key' | 'service_key' | 'checking_key' | 'operator' | 'sign_up';

/** Who made a change. `operator`: with access to the machine; the id is their user name there, or `policy_folder`. */
export interface ChangeAuthor<Kind extends AuthorKind = AuthorKind> {
  readonly kind: Kind;
  readonly id: string;
}

/** Every kind has a sentence, and webhooks send it. */
interface Noted<Kind extends WebhookEventType> {
  readonly kind: Kind;
  readonly workspace: string;
  readonly timestamp: string;
}

interface Changed<Kind extends WebhookEventType> extends Noted<Kind> {
  readonly by: ChangeAuthor;
}

export interface PolicyAppliedEntry extends Changed<'policy.applied'> {
  readonly revision: number;
  readonly digest: string;
  /** The revision whose documents apply again. */
  readonly rollbackOf?: number;
  /** The author confirmed that it may allow more than the revision before. */
  readonly loosened?: true;
}

export interface KeyEntry extends Changed<'key.created' | 'key.rotated' | 'key.revoked'> {
  /** `key_...`; for a rotation, the key that was replaced. */
  readonly key: string;
  readonly keyKind: string;
  /** The roles of a service key. */
  readonly roles?: readonly string[];
  /** `key.rotated`: the new key. */
  readonly replacement?: string;
}

export interface EvidenceRevokedEntry extends Changed<'evidence.revoked'> {
  readonly source: string;
  readonly jti: string;
}

type Changes = typeof RESOURCE_CHANGES;
/** Holds the id of what was changed. */
export type ResourceChangeEntry<Kind extends keyof Changes = keyof Changes> = {
  readonly [K in Kind]: Changed<K> & { readonly [name in Changes[K]['of']]: string };
}[Kind];

/** An owner gave back draws of a limit. */
export interface LimitCorrectedEntry extends Changed<'limit.corrected'> {
  /** The limit's id. */
  readonly limit: string;
  readonly keyKind: string;
  /** The digest of the limit's `by`, `sum` and `per`. */
  readonly counter: string;
  /** The digest of the group. */
  readonly group: string;
  /** Decimal text. */
  readonly amount: string;
  /** The steps of the window from which the amount was taken. */
  readonly steps: readonly { readonly step: number; readonly amount: string }[];
  readonly reasonDigest: string;
}

/** A freeze of a workspace: which writes it stops, and its texts as digests. */
export interface FreezeCreatedEntry extends Changed<'freeze.created'> {
  /** `frz_...` */
  readonly freeze: string;
  /** Numbers of a workspace rise with every freeze and every lift; records name the newest that they were decided under. */
  readonly number: number;
  readonly scope: FreezeScope;
  readonly until: string | null;
  readonly reasonDigest: string;
}

export interface FreezeLiftedEntry extends Noted<'freeze.lifted'> {
  readonly freeze: string;
  readonly number: number;
  /** Null if its time ended. */
  readonly by: ChangeAuthor | null;
  readonly reasonDigest: string;
}

/** The outcome of an allow, as reported. */
export interface OutcomeEntry extends Changed<'decision.outcome'> {
  readonly decision_id: string;
  readonly result: string;
  readonly at: string;
  readonly noteDigest: string | null;
  readonly refDigest: string | null;
}

/**
 * Records were erased: whose, how many, by whom and why, never their content. One erasure of many decisions has
 * several entries; their numbers add up.
 */
export interface RecordsErasedEntry extends Changed<'records.erased'> {
  /** `era_...` */
  readonly erasure: string;
  /** The reason in the operator's words. */
  readonly reason: string;
  /** The criteria that selected them: `age`, `decision`, `key`, `object`, `text`. */
  readonly chosenBy: readonly string[];
  /** The time before which records were erased; null for any age. */
  readonly before: string | null;
  /** Null: all decisions of the workspace that are older. */
  readonly decisions: readonly string[] | null;
  readonly reviews: readonly string[] | null;
  readonly decisionCount: number;
  /** Counts entries of every kind, including decisions. */
  readonly entryCount: number;
}

/** A change to how decisions are made, or to what is left of them. */
export type ChangeEntry =
  | PolicyAppliedEntry
  | KeyEntry
  | EvidenceRevokedEntry
  | ResourceChangeEntry
  | LimitCorrectedEntry
  | FreezeCreatedEntry
  | FreezeLiftedEntry
  | RecordsErasedEntry;
export type NotedEntry = ChangeEntry | OutcomeEntry;
export type NotedKind = NotedEntry['kind'];

/** An entry as stored; it names its log. */
export type LoggedNotedEntry = NotedEntry & { readonly log: string };

type Members = Readonly<Record<string, Check>>;

const isAuthor: Check = (value) => {
  const { kind, id } = (value ?? {}) as Record<string, unknown>;
  return isText(kind) && isText(id);
};
const areSteps: Check = (value) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => Number.isSafeInteger(one?.step) && isText(one?.amount));
const areTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const areTextsOrNull: Check = (value) => value === null || areTexts(value);
const isTimeOrNull: Check = (value) => value === null || isInstant(value);
const BY = { by: isAuthor };
const isDigestOrNull: Check = (value) => value === null || isDigest(value);
const KEY = { ...BY, key: isText, keyKind: isText };
const RESOURCES = Object.fromEntries(
  Object.entries(RESOURCE_CHANGES).map(([kind, { of }]): [string, Members] => [
    kind,
    { ...BY, [of]: isText },
  ]),
) as { readonly [kind in keyof Changes]: Members };

/** INVARIANT: every kind that is written is here, because `NotedKind` names no other. */
const MEMBERS: Readonly<Record<NotedKind, Members>> = {
  'policy.applied': { ...BY, revision: Number.isSafeInteger, digest: isDigest },
  'key.created': KEY,
  'key.rotated': { ...KEY, replacement: isText },
  'key.revoked': KEY,
  'evidence.revoked': { ...BY, source: isText, jti: isText },
  'limit.corrected': {
    ...BY,
    limit: isText,
    keyKind: isText,
    counter: isDigest,
    group: isDigest,
    amount: isText,
    steps: areSteps,
    reasonDigest: isDigest,
  },
  ...RESOURCES,
  'freeze.created': {
    ...BY,
    freeze: isText,
    number: Number.isSafeInteger,
    scope: isFreezeScope,
    until: isTimeOrNull,
    reasonDigest: isDigest,
  },
  'freeze.lifted': {
    by: (value) => value === null || isAuthor(value),
    freeze: isText,
    number: Number.isSafeInteger,
    reasonDigest: isDigest,
  },
  'decision.outcome': {
    ...BY,
    decision_id: isText,
    result: isText,
    at: isText,
    noteDigest: isDigestOrNull,
    refDigest: isDigestOrNull,
  },
  'records.erased': {
    ...BY,
    erasure: isText,
    reason: isText,
    chosenBy: (value) => areTexts(value) && (value as readonly string[]).length > 0,
    before: isTimeOrNull,
    decisions: areTextsOrNull,
    reviews: areTextsOrNull,
    decisionCount: Number.isSafeInteger,
    entryCount: Number.isSafeInteger,
  },
};

export const NOTED_KINDS = Object.keys(MEMBERS) as readonly NotedKind[];

export function isNotedKind(kind: unknown): kind is NotedKind {
  return typeof kind === 'string' && Object.hasOwn(MEMBERS, kind);
}

/** Whether it says that somebody changed how decisions are made, or erased some. */
export function isNotedChange(entry: { readonly kind: string }): entry is ChangeEntry {
  return isNotedKind(entry.kind) && 'by' in entry && entry.kind !== 'decision.outcome';
}

const encoder = new TextEncoder();

/** The RFC 8785 form. Throws on an entry that a verifier would refuse. */
export function notedEntryBytes(entry: NotedEntry, log: string): Uint8Array {
  // INVARIANT: only the kind and the id of the author, never a session.
  const by = 'by' in entry && entry.by !== null ? { by: { kind: entry.by.kind, id: entry.by.id } } : {};
  const value = { ...entry, ...by, log };
  const text = canonicalJson(value);
  if (!hasItsMembers(value))
    throw new TypeError(`a ${entry.kind} entry in another form than its own: ${text}`);
  return encoder.encode(text);
}

/**
 * The same for outcomes, which are as frequent as decisions. INVARIANT: members in the order of their UTF-16
 * code units, which makes it the RFC 8785 form.
 */
export function outcomeEntryText(entry: OutcomeEntry, log: string): string {
  return JSON.stringify({
    at: entry.at,
    by: { id: entry.by.id, kind: entry.by.kind },
    decision_id: entry.decision_id,
    kind: entry.kind,
    log,
    noteDigest: entry.noteDigest,
    refDigest: entry.refDigest,
    result: entry.result,
    timestamp: entry.timestamp,
    workspace: entry.workspace,
  });
}

function hasItsMembers(value: { readonly [member: string]: unknown }): boolean {
  const { kind, log, workspace, timestamp } = value;
  if (!isNotedKind(kind) || !isLogName(log) || !isText(workspace) || !isInstant(timestamp)) return false;
  return Object.entries(MEMBERS[kind]).every(([member, isRight]) => isRight(value[member]));
}

/**
 * Null unless it has its members and is spelled canonically. Further members are allowed, so that a later version may
 * say more without failing the verifiers of this one.
 */
export function notedEntryOf({ text, value }: ParsedObject): LoggedNotedEntry | null {
  return hasItsMembers(value) && isCanonical(value, text) ? (value as unknown as LoggedNotedEntry) : null;
}
