/**
 * Changes and decisions as bytes that sort by object, then by time. Values are salted hashes, so that the temporary
 * files hold none.
 */
import { hash, randomBytes } from 'node:crypto';
import { DECISIONS } from '@writecheck/contract';
import { asciiLower } from '@writecheck/engine';
import type { Change, Moment } from './change.ts';
import type { DecisionFact } from './decision-fact.ts';

export const KEY_BYTES = 32;
const TIME_BYTES = 8;
const BEYOND_BYTES = 6;
const LINE_BYTES = 6;
/** Times may be before 1970; shifted, all that RFC 3339 can write are positive. */
const TIME_SHIFT = 2 ** 47;
const AFTER_TIME = KEY_BYTES + TIME_BYTES;
const DEVELOPMENT = 4;
const OBSERVED = 8;
const REDEEMED = 16;
/** What follows a decision's id: value, end of validity, flags. */
const TAIL_BYTES = KEY_BYTES + TIME_BYTES + 1;

/** What a change and a decision must agree on. */
export interface Target {
  readonly objectType: string;
  readonly field: string;
  readonly objectRef: string;
}

/** What is kept of a change, in order. */
export interface SortedChange extends Target {
  readonly line: number;
  readonly at: Moment;
  readonly actor: string;
  readonly value: string;
}

/** Hashes with a salt that lives as long as the process. */
export class Hasher {
  readonly #salt = randomBytes(16).toString('hex');

  target({ objectType, field, objectRef }: Target): Buffer {
    return this.of(JSON.stringify([asciiLower(objectType), asciiLower(field), objectRef]));
  }

  of(text: string): Buffer {
    return hash('sha256', `${this.#salt}${text}`, 'buffer');
  }
}

/** The target, the time, the line; then the value and the texts that reports show. */
export function changeRecord(change: Change, hasher: Hasher): Buffer {
  const { line, at, objectType, objectRef, field, actor } = change;
  const texts = Buffer.from(JSON.stringify([objectType, objectRef, field, actor]));
  const head = AFTER_TIME + BEYOND_BYTES + LINE_BYTES;
  const record = Buffer.allocUnsafe(head + KEY_BYTES + texts.length);
  record.set(hasher.target(change));
  writeTime(record, at.ms, KEY_BYTES);
  record.writeUIntBE(at.beyondMs, AFTER_TIME, BEYOND_BYTES);
  record.writeUIntBE(line, AFTER_TIME + BEYOND_BYTES, LINE_BYTES);
  record.set(hasher.of(change.newValue), head);
  record.set(texts, head + KEY_BYTES);
  return record;
}

export function readChangeRecord(record: Buffer): SortedChange {
  const head = AFTER_TIME + BEYOND_BYTES + LINE_BYTES;
  const texts: readonly string[] = JSON.parse(record.toString('utf8', head + KEY_BYTES));
  const [objectType, objectRef, field, actor] = texts as readonly [string, string, string, string];
  return {
    line: record.readUIntBE(AFTER_TIME + BEYOND_BYTES, LINE_BYTES),
    at: { ms: readTime(record, KEY_BYTES), beyondMs: record.readUIntBE(AFTER_TIME, BEYOND_BYTES) },
    value: record.toString('latin1', head, head + KEY_BYTES),
    objectType,
    objectRef,
    field,
    actor,
  };
}

/** The target, the time, the id; then the rest. */
export function decisionRecord(
  target: Target,
  value: string,
  fact: Omit<DecisionFact, 'value'>,
  hasher: Hasher,
): Buffer {
  const id = Buffer.from(fact.id);
  const record = Buffer.allocUnsafe(AFTER_TIME + id.length + TAIL_BYTES);
  record.set(hasher.target(target));
  writeTime(record, fact.atMs, KEY_BYTES);
  record.set(id, AFTER_TIME);
  const tail = AFTER_TIME + id.length;
  record.set(hasher.of(value), tail);
  writeTime(record, fact.untilMs, tail + KEY_BYTES);
  record[record.length - 1] =
    DECISIONS.indexOf(fact.decision) |
    (fact.isDevelopment ? DEVELOPMENT : 0) |
    (fact.isObserved ? OBSERVED : 0) |
    (fact.isRedeemed ? REDEEMED : 0);
  return record;
}

export function readDecisionRecord(record: Buffer): DecisionFact {
  const tail = record.length - TAIL_BYTES;
  const flags = record[record.length - 1]!;
  return {
    id: record.toString('utf8', AFTER_TIME, tail),
    decision: DECISIONS[flags & 3]!,
    atMs: readTime(record, KEY_BYTES),
    untilMs: readTime(record, tail + KEY_BYTES),
    isDevelopment: (flags & DEVELOPMENT) !== 0,
    isObserved: (flags & OBSERVED) !== 0,
    isRedeemed: (flags & REDEEMED) !== 0,
    value: record.toString('latin1', tail, tail + KEY_BYTES),
  };
}

/** Changes the record itself. */
export function markRedeemed(record: Buffer): void {
  record[record.length - 1]! |= REDEEMED;
}

function writeTime(record: Buffer, ms: number, at: number): void {
  const shifted = ms + TIME_SHIFT;
  record.writeUInt32BE(Math.floor(shifted / 2 ** 32), at);
  record.writeUInt32BE(shifted % 2 ** 32, at + 4);
}

function readTime(record: Buffer, at: number): number {
  return record.readUInt32BE(at) * 2 ** 32 + record.readUInt32BE(at + 4) - TIME_SHIFT;
}
