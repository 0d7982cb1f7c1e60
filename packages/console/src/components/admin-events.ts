/** What people and owner keys changed: keys, policies, freezes, reviews, people and the workspace's name. All but the first keys are entries of the log. */

import type { Freeze, Key, PersonChange, PolicyRevision, Review, WorkspaceRename } from '@writecheck/api';
import type { Answered } from '@writecheck/api/calls';
import { readFreezes } from '../active-freezes.ts';
import { call, type Reply, success } from '../api.ts';
import { listKeys } from '../calls/keys.ts';
import { listPeople } from '../calls/people.ts';
import { listRevisions } from '../calls/policies.ts';
import { listDecided } from '../calls/reviews.ts';
import { joined } from '../replies.ts';
import { cut } from './cut.ts';
import { amountOf, type Money, moneyOf } from './decision/said-in-intent.ts';
import { titleOf } from './decision/write-title.tsx';
import { scopeWithin } from './freeze/scope-words.ts';
import { type Names, namesOf } from './names-of.ts';
import { nameOf, STATES } from './review/review-words.tsx';

export interface AdminEvent {
  readonly at: string;
  /** Such as `key.revoked`. */
  readonly event: string;
  readonly what: string;
  readonly by: string | null;
  readonly path: string | null;
  /** Who did it, and to what: the IDs of the API. Null if the service does not say. */
  readonly actor: Actor | null;
  readonly subject: string;
  /** What they said of it. */
  readonly reason?: string | null;
  /** Of a review: how `what` begins, and the write. */
  readonly verdict?: { readonly word: string; readonly tone: string; readonly title: string };
  /** Whether the person signed it with a passkey. */
  readonly isSigned?: boolean;
  /** The policy revision that it applied. */
  readonly revision?: number;
  /** The money that a review was about. */
  readonly amount?: string | null;
  readonly money?: Money | null;
}

interface Actor {
  readonly kind: string;
  readonly id: string;
}

export const VERDICTS_MAX = 200;
const FREEZES_MAX = 1_000;

export async function adminEvents(
  signal: AbortSignal,
  verdictsMax = VERDICTS_MAX,
): Promise<Reply<readonly AdminEvent[]>> {
  const [people, read] = await Promise.all([
    listPeople(signal),
    joined([
      listKeys(signal),
      listRevisions(signal),
      listDecided(verdictsMax, signal),
      readFreezes('all', FREEZES_MAX, signal),
      call('GET /v1/workspace', { signal }),
    ]),
  ]);
  if (read.kind === 'failure') return read;
  const [{ keys }, { revisions }, reviews, freezes, { workspace, renames = [] }] = read.value;
  // Only owners and auditors may list people.
  const known = people.kind === 'success' ? people.value : { people: [], changes: [] };
  const names = namesOf(known.people, keys);
  // Keys do not say which owner key created them; with one there is no doubt.
  const owners = keys.filter(({ kind }) => kind === 'owner');
  const anOwner = owners.length === 1 ? names.get(owners[0]!.id)! : 'An owner key';
  const events = [
    ...keys.flatMap((key) => ofKey(key, anOwner)),
    ...revisions.map(ofRevision),
    ...freezes.flatMap((freeze) => ofFreeze(freeze, names)),
    ...reviews.flatMap(ofReview),
    ...ofPeople(known, names),
    ...renames.map((rename) => ofRename(rename, workspace.id)),
  ].map(({ by, ...event }) => ({ ...event, by: by ?? nameOfActor(event.actor, names) }));
  return success(events.sort((a, b) => Date.parse(b.at) - Date.parse(a.at)));
}

/** `by` is left out if `actor` says it. */
type Made = Omit<AdminEvent, 'by'> & { readonly by?: string };

function nameOfActor(actor: Actor | null, names: Names): string | null {
  if (actor === null) return null;
  const { kind, id } = actor;
  if (kind === 'operator') return 'the operator of the service';
  return names.get(id) ?? (kind === 'person' ? id : `key \`${id}\``);
}

function ofKey({ id, kind, name, createdAt, revokedAt, madeBy, revokedBy }: Key, anOwner: string) {
  const of = { subject: id, path: '/keys' };
  const created: Made = {
    ...of,
    at: createdAt,
    event: 'key.created',
    what: `Created ${keyWords(kind, name)}`,
    ...(madeBy == null ? { actor: null, by: anOwner } : { actor: { kind: 'person', id: madeBy } }),
  };
  if (revokedAt === null) return [created];
  const what = `Revoked ${keyWords(kind, name)}`;
  return [created, { ...of, at: revokedAt, event: 'key.revoked', what, actor: revokedBy ?? null }];
}

function ofRevision(applied: PolicyRevision): Made {
  const { revision, digest, rollbackOf, message, authorPersonId, authorKeyId, createdAt } = applied;
  const of = {
    at: createdAt,
    event: 'policy.applied',
    what: [
      `Applied policy revision ${revision}`,
      rollbackOf === null ? '' : `, a rollback to ${rollbackOf}`,
      message === null ? '' : `: ${message}`,
    ].join(''),
    subject: digest,
    reason: message,
    path: `/policies/revisions?from=${revision - 1}&show=${revision}`,
    revision,
  };
  if (authorPersonId !== null) return { ...of, actor: { kind: 'person', id: authorPersonId } };
  if (authorKeyId !== null) return { ...of, actor: { kind: 'key', id: authorKeyId } };
  return { ...of, actor: null, by: 'the policy folder' };
}

function ofFreeze(freeze: Freeze, names: Names): readonly Made[] {
  const { id, reason, createdAt, createdBy, liftedAt, liftedBy, liftReason } = freeze;
  const what = scopeWithin(freeze.scope, names);
  const of = { subject: id, path: `/freezes/${id}` };
  const frozen = {
    ...of,
    at: createdAt,
    event: 'freeze.created',
    what: `Froze ${what}: ${reason}`,
    actor: createdBy,
    reason,
  };
  if (liftedAt === null) return [frozen];
  const lifted = {
    ...of,
    at: liftedAt,
    event: 'freeze.lifted',
    what: `Lifted the freeze of ${what}${liftReason === null ? '' : `: ${liftReason}`}`,
    actor: liftedBy,
    ...(liftedBy === null && { by: 'its own time' }),
    reason: liftReason,
  };
  return [frozen, lifted];
}

function ofReview({ id, intent, verdicts }: Review): readonly Made[] {
  // A link has no room for a button that expands; the review shows the whole title.
  const title = cut(titleOf({ ...intent, metadata: null }), TITLE_MAX);
  return verdicts.map(({ verdict, by, at, identity, comment }) => {
    const state = verdict === 'approve' ? 'approved' : 'rejected';
    const { word, tone } = STATES[state];
    const isSigned = identity === 'passkey';
    return {
      at,
      event: `review.${state}`,
      what: `${word}${isSigned ? ' with a passkey' : ''}: ${title}`,
      actor: by ?? null,
      ...(by?.kind === 'person' && { by: nameOf(by) }),
      subject: id,
      reason: comment,
      path: `/reviews/${id}`,
      verdict: { word, tone, title },
      isSigned,
      amount: amountOf(intent),
      money: moneyOf(intent),
    };
  });
}

function ofPeople({ people, changes }: Answered<'GET /v1/people'>, names: Names): readonly Made[] {
  const invited = new Set<string>();
  const inOrder = [...changes].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const changed = inOrder.map(({ personId, event, at, by }): Made => {
    const again = event === 'invited' && invited.has(personId) ? ' again' : '';
    if (event === 'invited') invited.add(personId);
    const what =
      event === 'joined'
        ? 'Joined the workspace'
        : `${EVENTS[event]} ${names.get(personId) ?? personId}${again}`;
    return { at, event: `person.${event}`, what, actor: by, subject: personId, path: '/people' };
  });
  // The service kept no changes of people before it had `changes`.
  const before = people
    .filter(({ id }) => !invited.has(id))
    .map(({ id, name, createdAt: at }) => {
      const what = `Invited ${name}`;
      return { at, event: 'person.invited', what, actor: null, subject: id, path: '/people' };
    });
  return [...changed, ...before];
}

function ofRename({ name, at, by }: WorkspaceRename, subject: string): Made {
  const what = `Renamed the workspace to \`${name}\``;
  return { at, event: 'workspace.renamed', what, actor: by, subject, path: null };
}

/** The first owner key is named after its kind. */
function keyWords(kind: string, name: string): string {
  return kind === name ? `the ${kind} key` : `the ${kind} key \`${name}\``;
}

const EVENTS: { readonly [event in Exclude<PersonChange['event'], 'joined'>]: string } = {
  invited: 'Invited',
  changed: 'Changed',
  reset: 'Reset the sign-in of',
  disabled: 'Disabled',
  removed: 'Removed',
};

const TITLE_MAX = 100;

/** No two events have the same, also if two keys of one name are revoked at the same time. */
export function idOf({ at, event, subject, by }: AdminEvent): string {
  return JSON.stringify([at, event, subject, by]);
}

export const CHANGE_COLUMNS = [
  'at',
  'event',
  'actor_kind',
  'actor_id',
  'actor_name',
  'signed',
  'subject',
  'amount',
  'currency',
  'reason',
] as const;

/** With the IDs of the API and amounts as numbers, for other programs. */
export function asChange({ at, event, actor, by, isSigned, subject, money, reason }: AdminEvent) {
  return {
    at,
    event,
    actor_kind: actor?.kind ?? null,
    actor_id: actor?.id ?? null,
    actor_name: by,
    signed: isSigned ? 'passkey' : null,
    subject,
    amount: money == null ? null : String(money.amount),
    currency: money?.currency ?? null,
    reason: reason ?? null,
  };
}
