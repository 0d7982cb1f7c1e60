/** Runs one impact run on its thread: replays the log and reports progress. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { ImpactReport } from '@writecheck/api';
import { openLog } from '@writecheck/store/log/open-log';
import { StoreUnavailable } from '@writecheck/store/port';
import type { LogPlace } from '@writecheck/store/port/log-reading';
import { restingWhenCrowded } from '@writecheck/store/threads/low-priority';
import {
  type Progress,
  ReplayFailure,
  type ReplayOrder,
  type ReplayResult,
  replayLog,
} from './replay-log.ts';

export interface ThreadData {
  readonly place: LogPlace;
  readonly order: ReplayOrder;
}

export type ThreadReport =
  | { readonly kind: 'progress'; readonly decisions: number; readonly report: ImpactReport }
  | { readonly kind: 'done'; readonly result: ReplayResult }
  | { readonly kind: 'failed'; readonly because: string };

const REPORT_EVERY_MS = 250;

const { place, order } = workerData as ThreadData;
let reportedMs = Number.NEGATIVE_INFINITY;

function tell(report: ThreadReport): void {
  parentPort!.postMessage(report);
}

async function progressed({ decisions, report }: Progress): Promise<void> {
  await rest();
  if (performance.now() - reportedMs < REPORT_EVERY_MS) return;
  tell({ kind: 'progress', decisions, report: report() });
  reportedMs = performance.now();
  await nextTurn();
}

function describe(thrown: unknown): string {
  if (thrown instanceof ReplayFailure) return thrown.message;
  if (thrown instanceof StoreUnavailable) return `the log could not be read: ${thrown.message}`;
  return 'the run failed because of an internal error; tell the operator';
}

const rest = restingWhenCrowded();
try {
  const reading = await openLog(place);
  try {
    tell({ kind: 'done', result: await replayLog(reading, order, progressed) });
  } finally {
    await reading.close();
  }
} catch (thrown) {
  tell({ kind: 'failed', because: describe(thrown) });
  // The service logs it.
  if (!(thrown instanceof ReplayFailure)) throw thrown;
}
