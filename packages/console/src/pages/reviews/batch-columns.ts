/** How several writes become one table: what they share once, what differs as columns, and what fits no column in its row. */
import type { Review } from '@writecheck/api';
import { requesterOf } from '../../components/decision/said-in-intent.ts';
import {
  type CoveredRow,
  type CoveredWrite,
  isLong,
  membersOf,
  sharedMembers,
} from '../../components/review/covered.ts';
import { conflictingIn } from '../../components/review/rivals.ts';
import { agentNameOf } from './order-reviews.ts';

export interface ShownReview {
  readonly review: Review;
  readonly write: CoveredWrite;
}

export type Batch = ReturnType<typeof batchOf>;

type SaidOf = (review: Review) => string | null;

/** Longer texts would make rows of several lines. */
const COLUMN_CHARACTERS_MAX = 60;
const COLUMNS_MAX = 5;
const OBJECT = JSON.stringify(['objectRef']);
const KIND = ['system', 'objectType', 'field', 'operation'].map((member) => JSON.stringify([member]));

/** Who asks, and what no approval covers; of a claim only the caller says so. */
const SAID: readonly { readonly name: string; readonly isClaimed: boolean; readonly of: SaidOf }[] = [
  { name: 'Agent', isClaimed: false, of: (review) => agentNameOf(review) || null },
  {
    name: 'For',
    isClaimed: true,
    of: ({ intent, askedBy: [asker] }) =>
      asker === undefined || asker.onBehalfOf === requesterOf(intent) ? null : asker.onBehalfOf,
  },
  { name: 'Justification', isClaimed: true, of: ({ askedBy: [asker] }) => asker?.justification ?? null },
];

export function batchOf(all: readonly ShownReview[]) {
  const writes = all.map(({ write }) => write);
  const shared = writes.length > 1 ? sharedMembers(writes) : [];
  const sharedIds = new Set(shared.map(({ id }) => id));
  const areConfirmed = writes.every(isConfirmed);
  const texts = new Map<string, { readonly label: string | null; longest: number }>();
  for (const write of writes)
    for (const { id, label, text } of allOf(write)) {
      const known = texts.get(id) ?? { label, longest: 0 };
      known.longest = Math.max(known.longest, text.length);
      texts.set(id, known);
    }
  const columns = [...texts].flatMap(([id, { label, longest }]) =>
    label === null || sharedIds.has(id) || id === OBJECT || longest > COLUMN_CHARACTERS_MAX
      ? []
      : [{ id, label }],
  );
  return {
    /** The same in every write. */
    shared,
    columns: columns.filter(({ id }) => !areConfirmed || id !== writes[0]?.before?.id).slice(0, COLUMNS_MAX),
    /** Whether the object's reference is all that its first column must say. */
    isOneKind:
      !sharedIds.has(OBJECT) &&
      (texts.get(OBJECT)?.longest ?? COLUMN_CHARACTERS_MAX + 1) <= COLUMN_CHARACTERS_MAX &&
      KIND.every((id) => sharedIds.has(id) || !texts.has(id)),
    /** Whether the source of record has each new value, so that it is shown once. */
    areConfirmed,
    /** Whether two of them cannot both be what the source has. */
    areContradicting: conflictingIn(all.map(({ review }) => review)).size > 0,
    /** The same for all, or one column each. */
    said: SAID.flatMap(({ name, isClaimed, of }) => {
      const said = new Set(all.map(({ review }) => of(review)));
      const [first = null] = said;
      return said.size === 1 && first === null
        ? []
        : [{ name, isClaimed, of, text: said.size === 1 ? first : null }];
    }),
  };
}

/** INVARIANT: a covered member is shared, in a column, or here; the reviewer sees all of them. */
export function restOf(write: CoveredWrite, { shared, columns, isOneKind, areConfirmed }: Batch) {
  const elsewhere = new Set([...shared, ...columns].map(({ id }) => id));
  if (isOneKind) elsewhere.add(OBJECT);
  // A long one is folded, and what is folded must be there to be opened.
  if (areConfirmed && write.before !== null && !isLong(write.before.text)) elsewhere.add(write.before.id);
  return allOf(write).filter(({ id }) => !elsewhere.has(id));
}

export function memberOf(write: CoveredWrite, id: string): CoveredRow | null {
  return allOf(write).find((row) => row.id === id) ?? null;
}

function allOf(write: CoveredWrite): readonly CoveredRow[] {
  return write.after === null ? membersOf(write) : [write.after, ...membersOf(write)];
}

function isConfirmed({ before, after }: CoveredWrite): boolean {
  return before !== null && before.text === after?.text;
}
