/** What people and owner keys changed: keys, policy revisions, freezes, reviews and people. Each is an entry of the log. */
import type { Freeze, PersonChange } from '@writecheck/api';
import { readFreezes } from '../active-freezes.ts';
import type { Reply } from '../api.ts';
import { listKeys } from '../calls/keys.ts';
import { listPeople } from '../calls/people.ts';
import { listRevisions } from '../calls/policies.ts';
import { listDecided } from '../calls/reviews.ts';
import type { Agents } from './agent/use-agents.ts';
import { amountOf } from './decision/said-in-intent.ts';
import { titleOf } from './decision/write-title.tsx';
import { scopeWithin } from './freeze/scope-words.ts';
import { nameOf, ownerKeyNamed } from './review/review-words.tsx';

export interface AdminEvent {
  readonly at: string;
  readonly what: string;
  readonly by: string | null;
  readonly path: string | null;
  /** Of a review: how `what` begins, and the write. */
  readonly verdict?: { readonly word: string; readonly tone: 'allow' | 'block'; readonly title: string };
  /** Whether the person signed it with a passkey. */
  readonly isSigned?: boolean;
  /** The policy revision that it applied. */
  readonly revision?: number;
  /** The money that a review was about. */
  readonly amount?: string | null;
}

const VERDICTS_MAX = 200;
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
  for (const { kind, name, createdAt, revokedAt, madeBy, revokedBy } of keys.value.keys) {
    const what = `Created the ${kind} key \`${name}\``;
    events.push({
      at: createdAt,
      what,
      by: madeBy == null ? anOwner : personName(madeBy),
      path: '/keys',
    });
    if (revokedAt !== null)
      events.push({
        at: revokedAt,
        what: `Revoked the ${kind} key \`${name}\``,
        by: revokedBy === undefined ? null : whoOf(revokedBy),
        path: '/keys',
      });
  }
  for (const { revision, rollbackOf, message, authorPersonId, authorKeyId, createdAt } of revisions.value
    .revisions)
    events.push({
      at: createdAt,
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
      path: `/policies/revisions?from=${revision - 1}&show=${revision}`,
      revision,
    });
  for (const freeze of freezes.value) events.push(...eventsOf(freeze, personName, keyName, names));
  for (const { id, intent, verdicts } of reviews.value) {
    const title = briefly(titleOf({ ...intent, metadata: null }));
    for (const { verdict, by, at, identity } of verdicts) {
      const { word, tone } = VERDICTS[verdict];
      const isSigned = identity === 'passkey';
      events.push({
        at,
        what: `${word}${isSigned ? ' with a passkey' : ''}: ${title}`,
        by: by?.kind === 'person' ? nameOf(by) : by === undefined ? null : keyName(by.id),
        path: `/reviews/${id}`,
        verdict: { word, tone, title },
        isSigned,
        amount: amountOf(intent),
      });
    }
  }
  for (const { personId, event, at, by } of changes) {
    const what = event === 'joined' ? 'Joined the workspace' : `${EVENTS[event]} ${personName(personId)}`;
    events.push({ at, what, by: whoOf(by), path: '/people' });
  }
  // The service kept no changes of people before it had `changes`.
  const known = new Set(changes.filter(({ event }) => event === 'invited').map(({ personId }) => personId));
  for (const { id, name, createdAt } of everybody)
    if (!known.has(id)) events.push({ at: createdAt, what: `Invited ${name}`, by: null, path: '/people' });
  events.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return { ...keys, value: events };
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
  const path = `/freezes/${id}`;
  const frozen = {
    at: createdAt,
    what: `Froze ${what}: ${reason}`,
    by: nameOfWho(createdBy),
    path,
  };
  if (liftedAt === null) return [frozen];
  const why = liftReason === null ? '' : `: ${liftReason}`;
  const by = liftedBy === null ? 'its own time' : nameOfWho(liftedBy);
  return [frozen, { at: liftedAt, what: `Lifted the freeze of ${what}${why}`, by, path }];
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
