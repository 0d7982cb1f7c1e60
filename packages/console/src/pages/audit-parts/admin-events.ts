/** What administrators did, as far as the API lists it: keys, policy revisions, reviews and people. */
import type { Outcome } from '../../api.ts';
import { call } from '../../api.ts';
import { titleOf } from '../decisions-parts/write-title.tsx';
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
  for (const { revision, rollbackOf, message, authorPersonId, authorKeyId, createdAt } of revisions.value
    .revisions)
    events.push({
      at: createdAt,
      what: [
        `Applied policy revision ${revision}`,
        rollbackOf === null ? '' : `, a rollback to ${rollbackOf}`,
        message === null ? '' : `: ${message}`,
      ].join(''),
      by: authorPersonId === null ? keyName(authorKeyId) : maker(authorPersonId),
      path: '/policies/revisions',
    });
  for (const { id, intent, verdicts } of reviews.value)
    for (const { verdict, by, at } of verdicts)
      events.push({
        at,
        what: `${verdict === 'approve' ? 'Approved' : 'Rejected'} \`${briefly(titleOf(intent))}\``,
        by: nameOf(by),
        path: `/reviews/${id}`,
      });
  // Only owners may list people.
  for (const { name, createdAt } of everybody)
    events.push({ at: createdAt, what: `Invited \`${name}\``, by: null, path: '/people' });
  events.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return { ...keys, value: events };
}

const TITLE_MAX = 100;

/** A link has no room for a button that expands; the review shows the whole title. */
function briefly(title: string): string {
  const points = [...title];
  return points.length <= TITLE_MAX ? title : `${points.slice(0, TITLE_MAX).join('')}…`;
}
