/** The cursor between a page of decisions and the next. */
import type { DecisionPage } from '../port/decisions.ts';
import type { IndexedDecision } from './index-rows.ts';

const CURSOR = /^(\d{1,16})\.(-?\d{1,16})$/;

export interface Place {
  readonly atMs: number;
  readonly position: number;
}

/** Null if it is not a cursor. */
export function readCursor(cursor: string): Place | null {
  const match = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const place = { atMs: Number(match?.[1]), position: Number(match?.[2]) };
  return Number.isSafeInteger(place.atMs) && Number.isSafeInteger(place.position) ? place : null;
}

function cursorAfter({ atMs, position }: Place): string {
  return Buffer.from(`${atMs}.${position}`).toString('base64url');
}

/** `rows` has up to one more than `limit`: the extra one shows that there is another page. */
export function pageOf(rows: readonly IndexedDecision[], limit: number): DecisionPage {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    kind: 'page',
    decisions: shown.map(({ position, workspace, validUntilMs, ...summary }) => summary),
    nextCursor: rows.length > limit && last !== undefined ? cursorAfter(last) : null,
  };
}
