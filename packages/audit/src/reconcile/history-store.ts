/**
 * Changes and the decisions about their objects, in a temporary SQLite database that vanishes with the process.
 * They are read back by object and time. Objects and values are salted hashes, so that the files hold no value.
 */
import { hash, randomBytes } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { DECISIONS } from '@writecheck/contract';
import type { Change, Moment } from './change.ts';
import type { DecisionFact } from './decision-fact.ts';
import { type Target, targetText } from './target.ts';

const CACHE_KIB = 64 * 1_024;
/** Base64url of 192 bits. */
const HASH_LENGTH = 32;
const DEVELOPMENT = 4;
const OBSERVED = 8;

/** A decision sorts `skew` before its time, and before a change of the same millisecond. */
const SCHEMA = `
  PRAGMA journal_mode = OFF;
  CREATE TABLE events (target TEXT, at REAL, is_change INTEGER, beyond INTEGER, line INTEGER, id TEXT,
    value TEXT, made INTEGER, until INTEGER, flags INTEGER, texts TEXT);
  CREATE TABLE redemptions (id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE outcomes (id TEXT PRIMARY KEY, result TEXT, judged INTEGER) WITHOUT ROWID;
  CREATE TABLE allows (id TEXT PRIMARY KEY, made INTEGER, texts TEXT) WITHOUT ROWID;
  CREATE TABLE carried_out (id TEXT PRIMARY KEY) WITHOUT ROWID;
  BEGIN;
`;
const ADD_CHANGE = `INSERT INTO events (target, at, is_change, beyond, line, value, texts) VALUES (?, ?, 1, ?, ?, ?, ?)`;
const ADD_DECISION = `
  INSERT INTO events (target, at, is_change, id, value, made, until, flags) SELECT ?1, ?2, 0, ?3, ?4, ?5, ?6, ?7
  WHERE EXISTS (SELECT 1 FROM events WHERE target = ?1 AND is_change = 1)`;
const IN_ORDER = `
  SELECT target, is_change, at, beyond, line, id, value, made, until, flags, texts,
    EXISTS (SELECT 1 FROM redemptions WHERE redemptions.id = events.id) AS redeemed,
    (SELECT result FROM outcomes WHERE outcomes.id = events.id AND judged = 1) AS outcome
  FROM events ORDER BY target, at, is_change, beyond, line, id`;

/** `unknown` may become something else once; nothing else changes. */
const ADD_OUTCOME = `
  INSERT INTO outcomes VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE
  SET result = excluded.result, judged = excluded.judged WHERE outcomes.result = 'unknown'`;
const NOT_CARRIED_OUT = `
  SELECT id, made, texts, result = 'done' AND judged = 1 AS said_done FROM allows LEFT JOIN outcomes USING (id)
  WHERE id NOT IN (SELECT id FROM carried_out) ORDER BY made, id`;

/** An allow in the range of the changes. */
export interface StoredAllow {
  readonly id: string;
  readonly atMs: number;
  readonly target: Target;
}

/** The stored part of a change. */
export interface StoredChange extends Pick<Change, 'line' | 'at' | 'objectType' | 'objectRef' | 'field'> {
  readonly actor: string;
  readonly operation: string;
  /** Equal for equal values only. */
  readonly value: string;
}

export type HistoryEvent =
  | { readonly kind: 'change'; readonly target: string; readonly change: StoredChange }
  | { readonly kind: 'decision'; readonly target: string; readonly decision: DecisionFact };

export class HistoryStore {
  readonly #database = new DatabaseSync('');
  readonly #salt = randomBytes(16).toString('hex');
  readonly #skewMs: number;
  readonly #addChange: StatementSync;
  readonly #addRedemption: StatementSync;
  readonly #addOutcome: StatementSync;
  readonly #addAllow: StatementSync;
  readonly #addCarriedOut: StatementSync;
  #addDecision: StatementSync | null = null;

  /** `cacheKib` is what it may hold in memory; smaller in tests. */
  constructor(skewMs: number, cacheKib = CACHE_KIB) {
    this.#skewMs = skewMs;
    this.#database.exec(`PRAGMA cache_size = -${cacheKib}`);
    this.#database.exec(SCHEMA);
    this.#addChange = this.#database.prepare(ADD_CHANGE);
    this.#addRedemption = this.#database.prepare('INSERT OR IGNORE INTO redemptions VALUES (?)');
    this.#addOutcome = this.#database.prepare(ADD_OUTCOME);
    this.#addAllow = this.#database.prepare('INSERT OR IGNORE INTO allows VALUES (?, ?, ?)');
    this.#addCarriedOut = this.#database.prepare('INSERT OR IGNORE INTO carried_out VALUES (?)');
  }

  /** INVARIANT: all changes come before the first decision. */
  addChange(change: Change, target: Target, value: string): void {
    const { line, at, objectType, objectRef, field, actor, operation } = change;
    const texts = JSON.stringify([objectType, objectRef, field, actor, operation]);
    this.#addChange.run(this.#hash(targetText(target)), at.ms, at.beyondMs, line, this.#hash(value), texts);
  }

  /** Keeps it only if a change is about its object. */
  addDecision(
    target: Target,
    value: string,
    fact: Omit<DecisionFact, 'value' | 'isRedeemed' | 'outcome'>,
  ): void {
    this.#addDecision ??= this.#readyForDecisions();
    const flags =
      DECISIONS.indexOf(fact.decision) |
      (fact.isDevelopment ? DEVELOPMENT : 0) |
      (fact.isObserved ? OBSERVED : 0);
    const { id, atMs, untilMs } = fact;
    const key = this.#hash(targetText(target));
    const at = atMs - this.#skewMs;
    this.#addDecision.run(key, at, id, this.#hash(value), atMs, untilMs, flags);
  }

  addRedemption(decisionId: string): void {
    this.#addRedemption.run(decisionId);
  }

  addOutcome(decisionId: string, result: string, isJudged: boolean): void {
    this.#addOutcome.run(decisionId, result, isJudged ? 1 : 0);
  }

  addAllow({ id, atMs, target }: StoredAllow): void {
    this.#addAllow.run(id, atMs, JSON.stringify(target));
  }

  addCarriedOut(decisionId: string): void {
    this.#addCarriedOut.run(decisionId);
  }

  /** The allows that no change shows, oldest first, and whether their caller reported them as done. */
  *notCarriedOut(): Generator<StoredAllow & { readonly isSaidDone: boolean }> {
    for (const row of this.#database.prepare(NOT_CARRIED_OUT).iterate() as Iterable<unknown>) {
      const { id, made, texts, said_done } = row as Pick<Row, 'id' | 'made' | 'texts'> & {
        readonly said_done: number | null;
      };
      yield { id, atMs: made, target: JSON.parse(texts) as Target, isSaidDone: said_done === 1 };
    }
  }

  /** Ordered by target and time; at the same time, decisions by id and changes by line. */
  *events(): Generator<HistoryEvent> {
    for (const row of this.#database.prepare(IN_ORDER).iterate() as Iterable<unknown>)
      yield eventOf(row as Row);
  }

  close(): void {
    this.#database.close();
  }

  #readyForDecisions(): StatementSync {
    this.#database.exec('CREATE INDEX changed ON events (target) WHERE is_change = 1');
    return this.#database.prepare(ADD_DECISION);
  }

  #hash(text: string): string {
    return hash('sha256', `${this.#salt}${text}`, 'base64url').slice(0, HASH_LENGTH);
  }
}

interface Row {
  readonly target: string;
  readonly is_change: number;
  readonly at: number;
  readonly beyond: number;
  readonly line: number;
  readonly id: string;
  readonly value: string;
  readonly made: number;
  readonly until: number;
  readonly flags: number;
  readonly texts: string;
  readonly redeemed: number;
  readonly outcome: string | null;
}

function eventOf(row: Row): HistoryEvent {
  const { target, value, flags } = row;
  if (row.is_change === 1) {
    const [objectType, objectRef, field, actor, operation] = JSON.parse(row.texts) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const at: Moment = { ms: row.at, beyondMs: row.beyond };
    const change = { line: row.line, at, value, objectType, objectRef, field, actor, operation };
    return { kind: 'change', target, change };
  }
  const decision: DecisionFact = {
    id: row.id,
    decision: DECISIONS[flags & 3]!,
    atMs: row.made,
    untilMs: row.until,
    isDevelopment: (flags & DEVELOPMENT) !== 0,
    isObserved: (flags & OBSERVED) !== 0,
    isRedeemed: row.redeemed === 1,
    outcome: row.outcome,
    value,
  };
  return { kind: 'decision', target, decision };
}
