/**
 * The one writer of this process: it holds a log by a lease, appends to it one commit at a time, and believes nothing
 * about it after a failure. What makes it safe is not the lease but the commit, which names the writer and the size.
 */
import { randomBytes } from 'node:crypto';
import { redemptionBytes } from '@writecheck/ledger';
import {
  type CommitRequest,
  keptRedeemKey,
  type RedeemOutcome,
  type Redemption,
  type RequestOutcome,
  redeemClaimDigest,
} from '../port.ts';
import {
  type Account,
  type Admission,
  type AdmittedEntry,
  accountKey,
  admit,
  type Known,
  NOTHING_KNOWN,
} from './admit.ts';
import { type BuiltSegment, type Head, LATENESS_MS_MAX, SegmentBuilder } from './build-segment.ts';
import { LastingConnection, queryOn } from './connection.ts';
import { lookUp } from './look-up.ts';
import { isRefusedBy, toUnavailable, unavailable } from './postgres-failure.ts';
import { storableId } from './storable-text.ts';

/** After this long without a sign of its writer, a log may be taken over. */
const LEASE = '10 seconds';
const RENEW_EVERY_MS = 3_000;
/** Each further try means that another process got ahead of us, which cannot go on for long. */
const TRIES_MAX = 50;

const TAKEN_MEANWHILE = 'WC001';
const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';
const SERIALIZATION = '40001';

interface LogRow {
  readonly number: number;
  readonly log: string;
  readonly size: number;
  readonly frontier: Buffer;
  readonly newest_ms: number;
}

const commitText = `SELECT * FROM writecheck.commit_v1(${Array.from({ length: 32 }, (_, i) => `$${i + 1}`).join(', ')})`;
const redeemText = `SELECT * FROM writecheck.redeem_v2(${Array.from({ length: 24 }, (_, i) => `$${i + 1}`).join(', ')})`;

export class LogWriter {
  readonly #connection: LastingConnection;
  readonly #id = randomBytes(8).toString('hex');
  readonly #newLog: () => string;
  #head: Head | null = null;
  /** The log it had last, by which it is told from the outside. */
  #last: { readonly number: number; readonly log: string } | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #renewing: NodeJS.Timeout | null = null;

  constructor(url: string, newLog: () => string) {
    this.#connection = new LastingConnection(url);
    this.#newLog = newLog;
  }

  /** Null before it has claimed one. */
  get log(): string | null {
    return this.#last?.log ?? null;
  }

  /** Makes sure that there is a log to append to, and that appending would succeed. */
  probe(): Promise<void> {
    return this.#exclusive(async () => {
      const { number } = await this.#headNow();
      const held = await (await this.#connection.get()).query(
        `UPDATE writecheck.log SET leased_until = clock_timestamp() + $3::interval
         WHERE number = $1 AND writer = $2 AND is_open`,
        [number, this.#id, LEASE],
      );
      if (held.rowCount === 0) this.#head = null;
    });
  }

  commit(requests: readonly CommitRequest[]): Promise<readonly RequestOutcome[]> {
    return this.#exclusive(async () => {
      let known: Known = NOTHING_KNOWN;
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const head = await this.#headNow();
        requireTimely(requests, head);
        const admission = admit(requests, known);
        // Nobody knows what was used of an account that this group adds nothing to.
        if (known !== NOTHING_KNOWN || !isRefusedUnseen(admission)) {
          const written = await this.#write(head, requests, admission, known);
          if (written === 'moved') continue;
          if (written !== 'changed') return written;
        }
        known = await lookUp(queryOn(await this.#connection.get()), requests);
      }
      throw unavailable('busy', new Error('other processes were faster every time'));
    });
  }

  async #write(
    head: Head,
    requests: readonly CommitRequest[],
    admission: Admission,
    known: Known,
  ): Promise<readonly RequestOutcome[] | 'moved' | 'changed'> {
    const knownBefore = (account: Account): number => known.used(account);
    // INVARIANT: what was used up, kept or revoked stays so, and nothing is written: no lock is needed.
    if (admission.admitted === 0) return outcomesOf(admission, head.log, knownBefore, new Map(), null);
    const isProven = requests.some(({ proven }) => proven);
    const builder = new SegmentBuilder(head, isProven);
    const indexes = new Map<AdmittedEntry, number>();
    for (const [i, request] of admission.requests.entries()) {
      if (request.kind !== 'done') continue;
      for (const one of request.entries) {
        if (one.kind === 'admitted') indexes.set(one, builder.appendDecision(requests[i]!, one.entry));
      }
    }
    const segment = builder.finish();
    const { accounts, answers, consumes, restsOn } = admission;
    const values = [
      ...this.#placeOf(head, segment),
      ...[segment.count, segment.oldestMs, segment.latestMs, segment.leafHashes, segment.body],
      ...nodesOf(segment),
      ...[accounts.map(({ workspace }) => workspace), accounts.map(({ period }) => period)],
      ...[accounts.map(({ kind }) => kind), accounts.map(({ charged }) => charged)],
      accounts.map(({ limit }) => limit),
      ...[answers.map(({ workspace }) => workspace), answers.map(({ key }) => key)],
      answers.map(({ stored }) => stored.requestDigest),
      ...[answers.map(({ claimedAtMs }) => claimedAtMs), answers.map(({ stored }) => stored.expiresAtMs)],
      answers.map(({ stored }) => JSON.stringify(stored.replayableWhile)),
      answers.map(({ stored }) => stored.response),
      ...[consumes.map(({ workspace }) => workspace), consumes.map(({ source }) => source)],
      consumes.map(({ id }) => id),
      ...[restsOn.map(({ workspace }) => workspace), restsOn.map(({ source }) => source)],
      restsOn.map(({ id }) => id),
    ];
    const row = await this.#call<{ readonly status: string; readonly used: readonly number[] }>(
      { name: 'commit_v1', text: commitText, values },
      [TAKEN_MEANWHILE, DEADLOCK, SERIALIZATION],
    );
    if (row === null || row.status === 'changed') return 'changed';
    if (row.status === 'moved') {
      this.#head = null;
      return 'moved';
    }
    this.#head = segment.next;
    const after = new Map(
      accounts.map((account, i) => [accountKey(account), row.used[i]! - account.charged]),
    );
    const before = (account: Account): number => after.get(accountKey(account)) ?? knownBefore(account);
    return outcomesOf(admission, head.log, before, indexes, isProven ? { builder, requests } : null);
  }

  redeem(redemption: Redemption): Promise<RedeemOutcome> {
    return this.#exclusive(async () => {
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const head = await this.#headNow();
        const segment = redemptionSegment(head, redemption);
        const { workspace, decisionId, keyId, atMs, policyRef, decidedAtMs, restsOn, idempotency } =
          redemption;
        const values = [
          ...this.#placeOf(head, segment),
          ...[segment.leafHashes, segment.body, ...nodesOf(segment)],
          ...[workspace, decisionId, keyId, atMs, keptRedeemKey(redemption)],
          // INVARIANT: an allow is good before its end and not at it; a time that is no number is never before.
          ...[!(atMs < redemption.validUntilMs), policyRef, decidedAtMs],
          ...[restsOn.map(({ source }) => source), restsOn.map(storableId)],
          ...[idempotency?.key ?? null, redeemClaimDigest(redemption), idempotency?.expiresAtMs ?? null],
        ];
        const row = await this.#call<{ readonly status: string; readonly redeemed_ms: number | null }>(
          { name: 'redeem_v2', text: redeemText, values },
          [UNIQUE_VIOLATION, TAKEN_MEANWHILE, DEADLOCK, SERIALIZATION],
        );
        if (row?.status === 'moved') this.#head = null;
        if (row === null || row.status === 'moved') continue;
        if (row.status === 'redeemed') this.#head = segment.next;
        return redeemOutcome(row.status as RedeemOutcome['kind'], row.redeemed_ms ?? 0);
      }
      throw unavailable('busy', new Error('other processes were faster every time'));
    });
  }

  /** Hands the log back; the next commit claims one again. */
  async release(): Promise<void> {
    if (this.#renewing !== null) clearInterval(this.#renewing);
    this.#renewing = null;
    await this.#turn;
    if (this.#head === null) return;
    const { number } = this.#head;
    this.#head = null;
    // Whoever starts next goes on with this log at once. If it cannot be said, the lease runs out.
    const text = "UPDATE writecheck.log SET leased_until = '-infinity' WHERE number = $1 AND writer = $2";
    await this.#connection
      .get()
      .then((client) => client.query(text, [number, this.#id]))
      .catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.release();
    await this.#connection.close();
  }

  /** Null where the server undid the statement for one of these reasons; then it may be tried again. */
  async #call<Row>(
    statement: { readonly name: string; readonly text: string; readonly values: unknown[] },
    undoneBy: readonly string[],
  ): Promise<Row | null> {
    const client = await this.#connection.get();
    try {
      return (await client.query(statement)).rows[0] as Row;
    } catch (thrown) {
      if (isRefusedBy(thrown, ...undoneBy)) return null;
      throw thrown;
    }
  }

  #placeOf(head: Head, { next }: BuiltSegment): readonly unknown[] {
    return [head.number, this.#id, head.size, LEASE, next.frontier, next.newestMs];
  }

  async #headNow(): Promise<Head> {
    if (this.#head !== null) return this.#head;
    const query = queryOn(await this.#connection.get());
    if (this.#last !== null) {
      const [mine] = await query<{ is_open: boolean }>(
        'SELECT is_open FROM writecheck.log WHERE number = $1',
        [this.#last.number],
      );
      // Whoever continued it wants nothing to be appended by a process that does not know of it.
      if (mine?.is_open !== true) throw unavailable('replaced');
    }
    const [row] = await query<LogRow>('SELECT * FROM writecheck.claim_log_v1($1, $2, $3)', [
      ...[this.#id, this.#newLog(), LEASE],
    ]);
    const { number, log, size, frontier, newest_ms: newestMs } = row!;
    this.#last = { number, log };
    this.#head = { number, log, size, frontier, newestMs };
    if (this.#renewing === null) {
      this.#renewing = setInterval(() => void this.probe().catch(() => undefined), RENEW_EVERY_MS);
      this.#renewing.unref();
    }
    return this.#head;
  }

  /** One at a time, in order. INVARIANT: after any failure the head is read again over another connection. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work).catch((thrown) => {
      this.#head = null;
      this.#connection.drop();
      throw toUnavailable(thrown);
    });
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}

const requireTimely = (requests: readonly CommitRequest[], { newestMs }: Head): void => {
  const isLate = requests.some(({ entries }) => (entries[0]?.atMs ?? 0) < newestMs - LATENESS_MS_MAX);
  if (isLate) throw unavailable('timeout', new Error('waited too long'));
};

const isRefusedUnseen = ({ requests }: Admission): boolean =>
  requests.some(
    (request) =>
      request.kind === 'done' &&
      request.entries.some(({ kind, account }) => kind === 'over' && account.charged === 0),
  );

const nodesOf = ({ nodes }: BuiltSegment): readonly unknown[] => [
  nodes.map(({ level }) => level),
  nodes.map(({ number }) => number),
  nodes.map(({ hash }) => Buffer.from(hash)),
];

/** INVARIANT: called with admitted entries only after the commit that holds them is synced. */
const outcomesOf = (
  { requests }: Admission,
  log: string,
  usedBefore: (account: Account) => number,
  indexes: ReadonlyMap<AdmittedEntry, number>,
  proving: { readonly builder: SegmentBuilder; readonly requests: readonly CommitRequest[] } | null,
): readonly RequestOutcome[] => {
  const inclusionOf = proving?.builder.prover();
  const plain = requests.map((request, i) => {
    if (request.kind !== 'done') return request;
    const isProven = proving?.requests[i]?.proven === true;
    const entries = request.entries.map((one) => {
      const used = usedBefore(one.account) + one.rank;
      if (one.kind === 'over') return { kind: 'quota_exceeded' as const, used, limit: one.limit };
      const leafIndex = indexes.get(one)!;
      const committed = { kind: 'committed', decisionId: one.entry.leaf.decision_id, log, leafIndex, used };
      return isProven ? { ...committed, inclusion: inclusionOf!(leafIndex) } : committed;
    });
    return { kind: 'done' as const, entries };
  });
  return plain as readonly RequestOutcome[];
};

const NO_RECORD = new Uint8Array(0);

const redemptionSegment = (head: Head, redemption: Redemption): BuiltSegment => {
  const { decisionId, workspace, keyId, keyKind, intentDigest, atMs } = redemption;
  const builder = new SegmentBuilder(head);
  const leaf = redemptionBytes({
    ...{
      kind: 'redemption',
      log: head.log,
      decision_id: decisionId,
      workspace,
      keyId,
      keyKind,
      intentDigest,
    },
    timestamp: new Date(atMs).toISOString(),
  });
  builder.append({ record: NO_RECORD, leaf }, atMs);
  return builder.finish();
};

const redeemOutcome = (kind: RedeemOutcome['kind'], redeemedAtMs: number): RedeemOutcome =>
  kind === 'redeemed' || kind === 'same' ? { kind, redeemedAtMs } : { kind };
