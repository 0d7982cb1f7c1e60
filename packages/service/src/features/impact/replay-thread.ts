/** Runs one impact run on its thread: replays the log and reports progress. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { ImpactReport } from '@writecheck/api';
import { openLog } from '@writecheck/store/log/open-log';
import { StoreUnavailable } from '@writecheck/store/port';
import type { LogPlace } from '@writecheck/store/port/log-reading';
import { restingWhenCrowded } from '@writecheck/store/threads/low-priority';
import { ReplayFailure, type ReplayOrder, replayLog } from './replay-log.ts';

export interface ThreadData {
  readonly place: LogPlace;
  readonly order: ReplayOrder;
}

export type ThreadReport =
  | { readonly kind: 'progress'; readonly decisions: number }
  | { readonly kind: 'done'; readonly report: ImpactReport }
  | { readonly kind: 'failed'; readonly because: string };

const REPORT_EVERY_MS = 250;

const { place, order } = workerData as ThreadData;
let reportedMs = Number.NEGATIVE_INFINITY;

function tell(report: ThreadReport): void {
  parentPort!.postMessage(report);
}

async function progressed(decisions: number): Promise<void> {
  await rest();
  if (performance.now() - reportedMs < REPORT_EVERY_MS) return;
  tell({ kind: 'progress', decisions });
  reportedMs = performance.now();
  await nextTurn();
}

const rest = restingWhenCrowded();
try {
  const reading = await openLog(place);
  try {
    tell({ kind: 'done', report: await replayLog(reading, order, progressed) });
  } finally {
    await reading.close();
  }
} catch (thrown) {
  // The service logs any other error.
  if (!(thrown instanceof ReplayFailure || thrown instanceof StoreUnavailable)) throw thrown;
  const isLog = thrown instanceof StoreUnavailable;
  tell({ kind: 'failed', because: isLog ? `the log could not be read: ${thrown.message}` : thrown.message });
}
