/** Gauges of the state that an operator alerts on, read at every scrape. */
import type { StoreFigures } from '@writecheck/store/port/figures';
import type { Registry } from 'prom-client';
import { UNREADY_REASONS, type UnreadyReason } from './unready-reasons.ts';

export interface ServiceState {
  readonly version: string;
  readonly commit: string;
  readonly store: 'sqlite' | 'postgres';
  readonly readiness: () => Promise<
    { readonly kind: 'ready' } | { readonly kind: 'unready'; readonly why: UnreadyReason }
  >;
  readonly isForked: () => boolean;
  /** The time since the log was last signed, or found to be signed as it is. */
  readonly sinceSignedMs: () => Promise<number>;
  readonly clockBehindMs: () => number;
  readonly figures: () => Promise<StoreFigures>;
  readonly activeFreezes: () => Promise<number>;
  /** The policy revision that each workspace in memory is decided by. */
  readonly revisions: () => Iterable<readonly [workspace: string, revision: number]>;
  readonly queueDepth: () => number;
  /** How far the clock is ahead of the database's, or of the time that passed on this machine. */
  readonly clockAheadMs: () => number;
  readonly openReviews: () => Promise<{ readonly count: number; readonly oldestOpenedAtMs: number | null }>;
  readonly waitingDeliveries: () => Promise<{ readonly count: number; readonly oldestAtMs: number | null }>;
  readonly clock: () => number;
}

type Value = number | null | undefined;
/** Processes of one service read the same store, so the worst value counts unless the gauge says otherwise. */
type Watched = readonly [
  name: string,
  help: string,
  read: () => Value | Promise<Value>,
  aggregator?: 'min' | 'sum',
];

/** Sizes change slowly, and the database computes its own by looking at every file. */
const FIGURES_EVERY_MS = 15_000;
const READINESS_EVERY_MS = 200;
const FREEZES_EVERY_MS = 1_000;
/** A scrape must not hang with the store. */
const WAIT_MS_MAX = 1_000;
/** A value that could not be read again for this long is no longer shown. */
const OLD_MS = 60_000;
/** A label per workspace must stay bounded. */
const REVISIONS_MAX = 20;

export async function watchState(registry: Registry, state: ServiceState): Promise<void> {
  const { Gauge } = await import('prom-client');
  const registers = [registry];
  const readiness = recent(READINESS_EVERY_MS, state.readiness);
  const unready = async () => {
    const found = await readiness();
    return found === null ? 'store' : found.kind === 'ready' ? null : found.why;
  };
  for (const [name, help, read, aggregator = 'max'] of [
    ...watchedHere(state, unready),
    ...watchedInStore(state),
  ]) {
    new Gauge({
      name,
      help,
      registers,
      aggregator,
      async collect() {
        const value = await read();
        // No value rather than 0, which would look like a full disk or an index that lacks nothing.
        if (value === null || value === undefined) this.remove();
        else this.set(value);
      },
    });
  }
  new Gauge({
    name: 'writecheck_build_info',
    help: 'always 1; the labels say what runs',
    labelNames: ['version', 'commit', 'node', 'store'],
    registers,
    aggregator: 'first',
  }).set({ version: state.version, commit: state.commit, node: process.version, store: state.store }, 1);
  new Gauge({
    name: 'writecheck_unready',
    help: '1 for the reason why the service cannot decide now',
    labelNames: ['why'],
    registers,
    aggregator: 'max',
    async collect() {
      const reason = await unready();
      for (const why of UNREADY_REASONS) this.set({ why }, why === reason ? 1 : 0);
    },
  });
  new Gauge({
    name: 'writecheck_policy_revision',
    help: 'policy revision in use, for up to 20 workspaces that were checked recently; 0 if a workspace has none',
    labelNames: ['workspace'],
    registers,
    aggregator: 'max',
    collect() {
      this.reset();
      for (const [workspace, revision] of [...state.revisions()].slice(0, REVISIONS_MAX))
        this.set({ workspace }, revision);
    },
  });
}

function watchedHere(state: ServiceState, unready: () => Promise<string | null>): readonly Watched[] {
  return [
    [
      'writecheck_ready',
      '1 if the service can decide now, as /readyz says',
      async () => ((await unready()) === null ? 1 : 0),
      'min',
    ],
    [
      'writecheck_queue_depth',
      'requests waiting for a commit or taking part in one',
      state.queueDepth,
      'sum',
    ],
    ['writecheck_log_forked', '1 if a log is not the one that was signed', () => Number(state.isForked())],
    [
      'writecheck_log_unsigned_seconds',
      'time since the newest state of the log was signed; about 0 if all is well',
      async () => (await state.sinceSignedMs()) / 1_000,
    ],
    [
      'writecheck_clock_behind_seconds',
      'how far the clock is behind the newest record or the second clock; 0 if it is not',
      () => state.clockBehindMs() / 1_000,
    ],
    [
      'writecheck_clock_ahead_seconds',
      'how far the clock is ahead of the database, or of the time that passed on the machine; negative if behind',
      () => state.clockAheadMs() / 1_000,
    ],
  ];
}

function watchedInStore(state: ServiceState): readonly Watched[] {
  const figures = recent(FIGURES_EVERY_MS, state.figures);
  const reviews = recent(0, state.openReviews);
  const deliveries = recent(0, state.waitingDeliveries);
  const ageOf = (atMs: number | null): number =>
    atMs === null ? 0 : Math.max(0, (state.clock() - atMs) / 1_000);
  const diskFree: Watched = [
    'writecheck_disk_free_bytes',
    'free space on the disk of the data folder (SQLite)',
    async () => (await figures())?.diskFreeBytes,
    'min',
  ];
  return [
    [
      'writecheck_freezes_active',
      'freezes that stop writes now, in all workspaces',
      recent(FREEZES_EVERY_MS, state.activeFreezes),
    ],
    ['writecheck_reviews_open', 'open reviews of all workspaces', async () => (await reviews())?.count],
    [
      'writecheck_review_oldest_open_seconds',
      'how long the oldest open review has waited, over all workspaces; 0 if none is open',
      async () => {
        const found = await reviews();
        return found && ageOf(found.oldestOpenedAtMs);
      },
    ],
    [
      'writecheck_webhook_deliveries_waiting',
      'deliveries that wait for an active webhook',
      async () => (await deliveries())?.count,
    ],
    [
      'writecheck_webhook_oldest_waiting_seconds',
      'age of the oldest event that waits for an active webhook; 0 if none waits',
      async () => {
        const found = await deliveries();
        return found && ageOf(found.oldestAtMs);
      },
    ],
    [
      'writecheck_database_bytes',
      'size of the store with its indexes',
      async () => (await figures())?.databaseBytes,
    ],
    ...(state.store === 'sqlite' ? [diskFree] : []),
    [
      'writecheck_index_behind_entries',
      'entries of the log that lists and counts do not show yet',
      async () => (await figures())?.indexBehind,
    ],
    [
      'writecheck_idempotency_rows',
      'stored responses for repeated requests, roughly',
      async () => (await figures())?.idempotencyRows,
    ],
  ];
}

/** The value, read at most this often. If a read fails or takes too long, the last value; null if that is too old. */
function recent<T>(everyMs: number, read: () => Promise<T>): () => Promise<T | null> {
  let last: { readonly atMs: number; readonly value: T } | null = null;
  let reading: { readonly atMs: number; readonly done: Promise<unknown> } | null = null;
  let isReading = false;
  return async () => {
    if (!isReading && (reading === null || performance.now() - reading.atMs >= everyMs)) {
      isReading = true;
      const done = read()
        .then(
          (value) => {
            last = { atMs: performance.now(), value };
          },
          () => undefined,
        )
        .finally(() => {
          isReading = false;
        });
      reading = { atMs: performance.now(), done };
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, WAIT_MS_MAX);
    });
    await Promise.race([reading!.done, late]);
    clearTimeout(timer);
    return last !== null && performance.now() - last.atMs < everyMs + OLD_MS ? last.value : null;
  };
}
