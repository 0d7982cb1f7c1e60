/** What people and owner keys changed: keys, policy revisions, freezes, reviews and people. Each is an entry of the log. */
import type { Freeze, PersonChange } from '@writecheck/api';
import { readFreezes } from '../active-freezes.ts';
import { type Reply, success } from '../api.ts';
import { listKeys } from '../calls/keys.ts';
import { listPeople } from '../calls/people.ts';
import { listRevisions } from '../calls/policies.ts';
import { listDecided } from '../calls/reviews.ts';
import type { Agents } from './agent/use-agents.ts';
import { amountOf, type Money, moneyOf } from './decision/said-in-intent.ts';
import { titleOf } from './decision/write-title.tsx';
import { scopeWithin } from './freeze/scope-words.ts';
import { nameOf, ownerKeyNamed } from './review/review-words.tsx';

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
  readonly verdict?: { readonly word: string; readonly tone: 'allow' | 'block'; readonly title: string };
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
export const FREEZES_MAX = 1_000;

export async function adminEvents(signal: AbortSignal): Promise<Reply<readonly AdminEvent[]>> {
  const [keys, revisions, reviews, people, freezes] = await Promise.all([
    listKeys(signal),
    listRevisions(signal),
    listDecided(VERDICTS_MAX, signal),
    listPeople(signal),
    readFreezes('all', FREEZES_MAX, signal),
  ]);
  if (keys.kind === 'failure') return keys;
  if (revisions.kind === 'failure') return revisions;
  if (reviews.kind === 'failure') return reviews;
  if (freezes.kind === 'failure') return freezes;
  const keyName = (id: string) => {
    const name = keys.value.keys.find((key) => key.id === id)?.name;
    return name === undefined ? `key \`${id}\`` : ownerKeyNamed(name);
  };
  const names = new Map(keys.value.keys.map(({ id, name }) => [id, name]));
  // Keys do not say which owner key created them; with one there is no doubt.
  const owners = keys.value.keys.filter(({ kind }) => kind === 'owner');
  const anOwner = owners.length === 1 ? keyName(owners[0]!.id) : 'An owner key';
  const events: AdminEvent[] = [];
  // Only owners and auditors may list people.
  const { people: everybody, changes = [] } = people.kind === 'success' ? people.value : { people: [] };
  const personName = (id: string) => everybody.find((person) => person.id === id)?.name ?? id;
  const whoOf = ({ kind, id }: PersonChange['by']) => (kind === 'person' ? personName(id) : keyName(id));
  for (const { id, kind, name, createdAt, revokedAt, madeBy, revokedBy } of keys.value.keys) {
    const of = { subject: id, path: '/keys' };
    events.push({
      ...of,
      at: createdAt,
      event: 'key.created',
      what: `Created ${keyWords(kind, name)}`,
      by: madeBy == null ? anOwner : personName(madeBy),
      actor: madeBy == null ? null : { kind: 'person', id: madeBy },
    });
    if (revokedAt !== null)
      events.push({
        ...of,
        at: revokedAt,
        event: 'key.revoked',
        what: `Revoked ${keyWords(kind, name)}`,
        by: revokedBy === undefined ? null : whoOf(revokedBy),
        actor: revokedBy ?? null,
      });
  }
  for (const { revision, digest, rollbackOf, message, authorPersonId, authorKeyId, createdAt } of revisions
    .value.revisions)
    events.push({
      at: createdAt,
      event: 'policy.applied',
      what: [
        `Applied policy revision ${revision}`,
        rollbackOf === null ? '' : `, a rollback to ${rollbackOf}`,
        message === null ? '' : `: ${message}`,
      ].join(''),
      by:
        authorPersonId !== null
          ? personName(authorPersonId)
          : authorKeyId === null
            ? 'the policy folder'
            : keyName(authorKeyId),
      actor:
        authorPersonId !== null
          ? { kind: 'person', id: authorPersonId }
          : authorKeyId === null
            ? null
            : { kind: 'key', id: authorKeyId },
      subject: digest,
      reason: message,
      path: `/policies/revisions?from=${revision - 1}&show=${revision}`,
      revision,
    });
  for (const freeze of freezes.value) events.push(...eventsOf(freeze, personName, keyName, names));
  for (const { id, intent, verdicts } of reviews.value) {
    const title = briefly(titleOf({ ...intent, metadata: null }));
    for (const { verdict, by, at, identity, comment } of verdicts) {
      const { word, tone } = VERDICTS[verdict];
      const isSigned = identity === 'passkey';
      events.push({
        at,
        event: `review.${verdict === 'approve' ? 'approved' : 'rejected'}`,
        what: `${word}${isSigned ? ' with a passkey' : ''}: ${title}`,
        by: by?.kind === 'person' ? nameOf(by) : by === undefined ? null : keyName(by.id),
        actor: by ?? null,
        subject: id,
        reason: comment,
        path: `/reviews/${id}`,
        verdict: { word, tone, title },
        isSigned,
        amount: amountOf(intent),
        money: moneyOf(intent),
      });
    }
  }
  const invited = new Set<string>();
  for (const { personId, event, at, by } of [...changes].sort(
    (a, b) => Date.parse(a.at) - Date.parse(b.at),
  )) {
    const again = event === 'invited' && invited.has(personId) ? ' again' : '';
    if (event === 'invited') invited.add(personId);
    const what =
      event === 'joined' ? 'Joined the workspace' : `${EVENTS[event]} ${personName(personId)}${again}`;
    events.push({
      at,
      event: `person.${event}`,
      what,
      by: whoOf(by),
      actor: by,
      subject: personId,
      path: '/people',
    });
  }
  // The service kept no changes of people before it had `changes`.
  for (const { id, name, createdAt } of everybody)
    if (!invited.has(id))
      events.push({
        at: createdAt,
        event: 'person.invited',
        what: `Invited ${name}`,
        by: null,
        actor: null,
        subject: id,
        path: '/people',
      });
  events.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return success(events);
}

function eventsOf(
  { id, scope, reason, createdAt, createdBy, liftedAt, liftedBy, liftReason }: Freeze,
  personName: (id: string) => string,
  keyName: (id: string) => string,
  names: Agents,
): readonly AdminEvent[] {
  const nameOfWho = ({ kind, id }: Freeze['createdBy']) =>
    kind === 'person' ? personName(id) : kind === 'owner_key' ? keyName(id) : 'the operator of the service';
  const what = scopeWithin(scope, names);
  const of = { subject: id, path: `/freezes/${id}` };
  const frozen = {
    ...of,
    at: createdAt,
    event: 'freeze.created',
    what: `Froze ${what}: ${reason}`,
    by: nameOfWho(createdBy),
    actor: createdBy,
    reason,
  };
  if (liftedAt === null) return [frozen];
  const lifted = {
    ...of,
    at: liftedAt,
    event: 'freeze.lifted',
    what: `Lifted the freeze of ${what}${liftReason === null ? '' : `: ${liftReason}`}`,
    by: liftedBy === null ? 'its own time' : nameOfWho(liftedBy),
    actor: liftedBy,
    reason: liftReason,
  };
  return [frozen, lifted];
}

/** The first owner key is named after its kind. */
function keyWords(kind: string, name: string): string {
  return kind === name ? `the ${kind} key` : `the ${kind} key \`${name}\``;
}

const VERDICTS = {
  approve: { word: 'Approved', tone: 'allow' },
  reject: { word: 'Rejected', tone: 'block' },
} as const;

const EVENTS: { readonly [event in Exclude<PersonChange['event'], 'joined'>]: string } = {
  invited: 'Invited',
  changed: 'Changed',
  reset: 'Reset the sign-in of',
  disabled: 'Disabled',
  removed: 'Removed',
};

const TITLE_MAX = 100;

/** A link has no room for a button that expands; the review shows the whole title. */
function briefly(title: string): string {
  const points = [...title];
  return points.length <= TITLE_MAX ? title : `${points.slice(0, TITLE_MAX).join('')}…`;
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
