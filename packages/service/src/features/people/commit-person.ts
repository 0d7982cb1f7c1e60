/** Makes every change to a person durable: reads, decides and writes, and starts over if another change came first. */
import {
  type FoundPerson,
  PAST_CHANGES_MAX,
  PEOPLE_MAX,
  type PersonChange,
  type StoredPerson,
} from '@writecheck/store/port/people';
import { isRefusal, type Refusal, refuse, storeUnavailable } from '../../exchange/refusal.ts';
import type { PeopleParts } from './people-parts.ts';

/** Each lost attempt means that another change to this person succeeded. */
const TRIES_MAX = 20;

export const NO_PERSON: Refusal = refuse(
  'not_found',
  'there is no such person in this workspace; `GET /v1/people` lists them',
);

const CONTENDED = storeUnavailable('others keep changing this person at the same time; try again');
/** Their id stays in the log, and must never come to name somebody else. */
export const REMOVED: Refusal = refuse('not_found', 'that person was removed; invite them as a new person');

export function isRemoved({ history }: Pick<StoredPerson, 'history'>): boolean {
  return history.at(-1)?.event === 'removed';
}

const NOT_WRITTEN = {
  email_taken: refuse('email_taken', 'another person of this workspace has this e-mail address', [
    { pointer: '/email', message: 'another person of this workspace has this e-mail address' },
  ]),
  identity_taken: refuse('not_a_member', 'another person of this workspace signs in with this identity'),
  credential_taken: refuse('assertion_invalid', 'this passkey is registered already; use another one'),
  too_many_people: refuse(
    'plan_limit',
    `a workspace has at most ${PEOPLE_MAX} people, disabled ones included; use another workspace for more`,
  ),
  last_owner_key: refuse(
    'last_owner_key',
    'they hold the last owner key that never expires; create another owner key before you disable them',
  ),
} as const;

/** `attempt` returns null if there is nothing to change. Resolves with the person as the store has them then. */
export async function untilCommitted(
  { store, clock, sessions }: Pick<PeopleParts, 'store' | 'clock' | 'sessions'>,
  attempt: () => Promise<PersonChange | Refusal | { readonly unchanged: FoundPerson }>,
): Promise<FoundPerson | Refusal> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const change = await attempt();
    if (isRefusal(change)) return change;
    if ('unchanged' in change) return change.unchanged;
    const outcome = await store.changePerson(withHistory(change));
    if (outcome.kind === 'conflict') continue;
    if (outcome.kind !== 'changed') return NOT_WRITTEN[outcome.kind];
    sessions.forgetAll();
    for (const { timestamp } of change.entries) clock.saw(Date.parse(timestamp));
    const { workspace, id } = change.person;
    return (await store.findPeople(workspace, [id]))[0] ?? NO_PERSON;
  }
  return CONTENDED;
}

/** The row keeps what its log entries say, because the log has no index by person. */
export function withHistory(change: PersonChange): PersonChange {
  const now = change.entries.map(({ event, timestamp, by }) => ({ event, at: timestamp, by }));
  const history = [...change.person.history, ...now].slice(-PAST_CHANGES_MAX);
  return { ...change, person: { ...change.person, history } };
}

export async function findPerson(
  { store }: Pick<PeopleParts, 'store'>,
  workspace: string,
  id: string,
): Promise<FoundPerson | null> {
  return (await store.findPeople(workspace, [id]))[0] ?? null;
}

/** The next version of a row, without its read-only members. */
export function nextVersion(before: FoundPerson, members: Partial<StoredPerson>): StoredPerson {
  const { lastSeenAtMs: _seen, hasPasskey: _passkey, ...row } = before;
  return { ...row, ...members, version: before.version + 1 };
}
