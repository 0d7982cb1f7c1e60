/** What administrators did, as far as the API lists it: keys, policy revisions, reviews and people. */
import type { Outcome } from '../../api.ts';
import { call } from '../../api.ts';
import { listRevisions } from '../policies-parts/policies-api.ts';
import { nameOf } from '../reviews-parts/review-words.tsx';
import { listDecided } from '../reviews-parts/reviews-api.ts';
import { listKeys } from '../workspace-parts/keys-api.ts';

export interface AdminEvent {
  readonly at: string;
  readonly what: string;
  readonly by: string | null;
  readonly path: string | null;
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

const VERDICTS_MAX = 200;

export async function adminEvents(signal: AbortSignal): Promise<Outcome<readonly AdminEvent[]>> {
  const [keys, revisions, reviews, people] = await Promise.all([
    listKeys(signal),
    listRevisions(signal),
    listDecided(VERDICTS_MAX, signal),
    call<{ readonly people: readonly Person[] }>('GET', '/v1/people', { signal, has: { people: 'array' } }),
  ]);
  if (keys.kind === 'failure') return keys;
  if (revisions.kind === 'failure') return revisions;
  if (reviews.kind === 'failure') return reviews;
  const keyName = (id: string | null) =>
    id === null ? 'policy folder' : (keys.value.keys.find((key) => key.id === id)?.name ?? id);
  const events: AdminEvent[] = [];
  const everybody = people.kind === 'success' ? people.value.people : [];
  const maker = (madeBy: string | null | undefined) =>
    madeBy == null ? 'owner key' : (everybody.find(({ id }) => id === madeBy)?.name ?? madeBy);
  for (const { kind, name, createdAt, revokedAt, madeBy } of keys.value.keys) {
    const what = `Created the ${kind} key \`${name}\``;
    events.push({ at: createdAt, what, by: maker(madeBy), path: '/keys' });
    if (revokedAt !== null)
      events.push({ at: revokedAt, what: `Revoked the ${kind} key \`${name}\``, by: null, path: '/keys' });
  }
  for (const { revision, rollbackOf, authorKeyId, createdAt } of revisions.value.revisions)
    events.push({
      at: createdAt,
      what: `Applied policy revision ${revision}${rollbackOf === null ? '' : `, a rollback to ${rollbackOf}`}`,
      by: keyName(authorKeyId),
      path: '/policies/revisions',
    });
  for (const { id, verdicts } of reviews.value)
    for (const { verdict, by, at } of verdicts)
      events.push({
        at,
        what: verdict === 'approve' ? 'Approved a write' : 'Rejected a write',
        by: nameOf(by),
        path: `/reviews/${id}`,
      });
  // Only owners may list people.
  for (const { name, createdAt } of everybody)
    events.push({ at: createdAt, what: `Invited \`${name}\``, by: null, path: '/people' });
  events.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return { ...keys, value: events };
}
