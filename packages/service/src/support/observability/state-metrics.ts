/** Gauges of the state that an operator alerts on, read when metrics are. */
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
  /** Since the log was last signed, or found to be signed as it is. */
  readonly sinceSignedMs: () => Promise<number>;
  readonly clockBehindMs: () => number;
  readonly figures: () => Promise<StoreFigures>;
  readonly activeFreezes: () => Promise<number>;
  /** Why archived entries cannot be read; null if they can. */
  readonly archiveProblem: () => Promise<string | null>;
  readonly isFolderRefused: () => boolean;
  /** The policy revision that each workspace in memory is decided by. */
  readonly revisions: () => Iterable<readonly [workspace: string, revision: number]>;
}

/** Sizes change slowly, and the database computes its own by looking at every file. */
const FIGURES_EVERY_MS = 15_000;
/** Each look reads a file of the archive, perhaps from a bucket. */
const ARCHIVE_EVERY_MS = 300_000;
const READINESS_EVERY_MS = 200;
const FREEZES_EVERY_MS = 1_000;
/** A scrape must not hang with the store. */
const WAIT_MS_MAX = 1_000;
/** A value that could not be read again for this long is not shown any more. */
const OLD_MS = 60_000;
/** A label per workspace must stay bounded. */
const REVISIONS_MAX = 20;

export async function watchState(registry: Registry, state: ServiceState): Promise<void> {
  const { Gauge } = await import('prom-client');
  const registers = [registry];
  const gauge = (
    name: string,
    help: string,
    read: () => number | null | undefined | Promise<number | null | undefined>,
    // Processes of one service read the same store, so the worst of them counts.
    aggregator: 'max' | 'min' | 'first' = 'max',
  ) =>
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

  new Gauge({
    name: 'writecheck_build_info',
    help: 'always 1; the labels say what runs',
    labelNames: ['version', 'commit', 'node', 'store'],
    registers,
    aggregator: 'first',
  }).set({ version: state.version, commit: state.commit, node: process.version, store: state.store }, 1);
  const readiness = recent(READINESS_EVERY_MS, state.readiness);
  const unready = async () => {
    const found = await readiness();
    return found === null ? 'store' : found.kind === 'ready' ? null : found.why;
  };
  gauge(
    'writecheck_ready',
    '1 if the service can decide now, as /readyz says',
    async () => ((await unready()) === null ? 1 : 0),
    'min',
  );
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
  gauge('writecheck_log_forked', '1 if a log is not the one that was signed', () =>
    state.isForked() ? 1 : 0,
  );
  gauge(
    'writecheck_log_unsigned_seconds',
    'time since the newest state of the log was signed; about 0 if all is well',
    async () => (await state.sinceSignedMs()) / 1_000,
  );
  gauge(
    'writecheck_clock_behind_seconds',
    'how far the clock is behind the newest record; 0 if it is not',
    () => state.clockBehindMs() / 1_000,
  );
  const freezes = recent(FREEZES_EVERY_MS, state.activeFreezes);
  gauge('writecheck_freezes_active', 'freezes that stop writes now, in all workspaces', freezes);
  const figures = recent(FIGURES_EVERY_MS, state.figures);
  gauge(
    'writecheck_database_bytes',
    'size of the store with its indexes',
    async () => (await figures())?.databaseBytes,
  );
  if (state.store === 'sqlite') {
    gauge(
      'writecheck_disk_free_bytes',
      'free space on the disk of the data folder (SQLite)',
      async () => (await figures())?.diskFreeBytes,
      'min',
    );
  }
  gauge(
    'writecheck_index_behind_entries',
    'entries of the log that lists and counts do not show yet',
    async () => (await figures())?.indexBehind,
  );
  gauge(
    'writecheck_idempotency_rows',
    'stored responses for repeated requests, roughly',
    async () => (await figures())?.idempotencyRows,
  );
  const isArchiveFailing = recent(ARCHIVE_EVERY_MS, async () => (await state.archiveProblem()) !== null);
  gauge('writecheck_archive_failing', '1 if archived records cannot be read', async () => {
    const isFailing = await isArchiveFailing();
    return isFailing === null ? null : Number(isFailing);
  });
  gauge(
    'writecheck_policy_folder_refused',
    '1 if the watched folder of policies cannot be used as it is',
    () => (state.isFolderRefused() ? 1 : 0),
  );
  new Gauge({
    name: 'writecheck_policy_revision',
    help: 'policy revision in use, for up to 20 workspaces that were checked recently; 0 if a workspace has none',
    labelNames: ['workspace'],
    registers,
    aggregator: 'max',
    collect() {
      this.reset();
      let count = 0;
      for (const [workspace, revision] of state.revisions()) {
        if (count === REVISIONS_MAX) break;
        count += 1;
        this.set({ workspace }, revision);
      }
    },
  });
}

/** The value, read at most this often; the last one if the next fails or takes too long, null if that is too old. */
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
