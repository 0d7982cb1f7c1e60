/** Prepares the log of a service: its key, the check of its tail, and a signature a few times a second. */
import { existsSync } from 'node:fs';
import { parseVerifierKeys } from '@writecheck/ledger/log';
import type { ForkAlarm } from '@writecheck/store/append-guard';
import type { Store } from '@writecheck/store/port';
import type { ClockAnchor } from '../../support/clocks/clock-reference.ts';
import type { Config } from '../../support/config/settings.ts';
import { errorFields } from '../../support/observability/described-error.ts';
import type { Log } from '../../support/observability/log.ts';
import { checkLogs } from './check-logs.ts';
import { continuationReader } from './continuations.ts';
import {
  dropDrafts,
  type KeptCheckpoint,
  keepCheckpointBeside,
  readKeptCheckpoint,
} from './kept-checkpoint.ts';
import { LogNotary, type NotaryStore } from './log-notary.ts';
import { LogRefused } from './log-refused.ts';
import { type LogSigner, loadSigner } from './log-signer.ts';

const SIGN_EVERY_MS = 250;

type AuditStore = NotaryStore & Pick<Store, 'segments' | 'publishVerifierKey'>;

export interface Audit {
  readonly notary: LogNotary;
  readonly signer: Pick<LogSigner, 'line' | 'note' | 'derive'>;
  /** Tells an operator what was found in the logs at the start; null if nothing. */
  readonly notice: string | null;
  /** Signs the current state and keeps it beside the database. */
  sign(): Promise<void>;
  /** How long signing, or keeping the signed checkpoint, has failed. */
  failingForMs(): number;
}

interface AuditOptions {
  /** A restored store is always behind what was kept or signed; its log ends where the store ends. */
  readonly isRestoring?: boolean;
  readonly clock?: () => ClockAnchor | null;
  /** The one that stops every thread of this process. */
  readonly alarm: ForkAlarm;
}

/** Throws `LogRefused` if the key cannot be used or a log is not the signed one. */
export async function openAudit(
  config: Pick<Config, 'data' | 'signingKey' | 'databaseUrl'>,
  store: AuditStore,
  nowMs: number,
  { isRestoring = false, clock = () => null, alarm }: AuditOptions,
): Promise<Audit> {
  dropDrafts(config.data);
  const kept = isRestoring ? null : readKeptCheckpoint(config.data);
  // Machines that share a remote database each have a key; only a checkpoint kept here shows that ours is missing.
  const isFirst = config.databaseUrl === null ? (await store.verifierKeys()).length === 0 : kept === null;
  const signer = loadSigner(config, isFirst);
  const { trusted, notice } = await checkLogsBy(store, signer.line, kept, isRestoring);
  const before = await store.verifierKeys();
  const isNewKey = before.length > 0 && !before.includes(signer.line);
  // INVARIANT: published before it signs anything.
  if (!before.includes(signer.line)) await store.publishVerifierKey(signer.line, nowMs);
  const notary = new LogNotary(store, signer, trusted, isRestoring, alarm);
  const continuations = continuationReader(store);
  let beside = kept?.continuations == null ? null : kept.note;
  let failingSince: number | null = null;
  const sign = async (): Promise<void> => {
    const newest = await notary.newest(store.log);
    if (newest === null || newest.note === beside) return;
    const { note } = newest;
    if (existsSync(config.data)) {
      await keepCheckpointBeside(config.data, {
        note,
        continuations: await continuations(),
        clock: clock(),
      });
    }
    beside = note;
  };
  return {
    notary,
    signer,
    notice: notice ?? (isNewKey ? newKeyNotice(signer.line) : null),
    async sign() {
      try {
        await sign();
        failingSince = null;
      } catch (thrown) {
        failingSince ??= performance.now();
        throw thrown;
      }
    },
    failingForMs: () => (failingSince === null ? 0 : performance.now() - failingSince),
  };
}

/** Replicas should share a key, and verifiers need the new key before it signs anything. */
function newKeyNotice(line: string): string {
  return `the log was signed with other keys before; give the verifier key \`${line}\` to those who verify the log, or set WRITECHECK_SIGNING_KEY to the key of the other replicas`;
}

async function checkLogsBy(
  store: AuditStore,
  own: string,
  kept: KeptCheckpoint | null,
  isRestoring: boolean,
) {
  for (;;) {
    const lines = await store.verifierKeys();
    const keys = parseVerifierKeys([own, ...lines]);
    if (keys === null)
      throw new LogRefused('a published verifier key cannot be read; restore the data folder');
    try {
      return await checkLogs(store, { keys, kept, isRestoring });
    } catch (error) {
      // Another process that is starting right now may have published its key after we read the list, and signed with
      // it.
      if ((await store.verifierKeys()).length === lines.length) throw error;
    }
  }
}

/** Returns a function that stops it and signs once more. */
export function signRegularly({ sign }: Audit, log: Log): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  const run = (): void => {
    if (isRunning) return;
    isRunning = true;
    running = sign()
      .catch((error) => log.error(errorFields(error), 'the log could not be signed'))
      .finally(() => {
        isRunning = false;
      });
  };
  const timer = setInterval(run, SIGN_EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
    run();
    await running;
  };
}
