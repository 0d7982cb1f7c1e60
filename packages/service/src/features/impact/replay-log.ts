/** Replays a range of the log under two bundles and counts: the whole run, without threads or progress. */
import type { ImpactReport } from '@writecheck/api';
import type { LogReading } from '@writecheck/store/port/log-reading';
import { CountReport } from './count-report.ts';
import { type FoundDecision, type FoundEntry, prepareFind, type Wanted } from './find-entries.ts';
import { InOrder } from './in-order.ts';
import { readInOrder } from './read-in-order.ts';
import { RecordedBundles } from './recorded-bundles.ts';
import { NO_BUNDLE, type ReplayBundle, replayBundle } from './replay-bundle.ts';
import { NO_LIMITS } from './replay-counters.ts';
import { ReplayLimits } from './replay-limits.ts';
import { replayRecord } from './replay-record.ts';

/** The order of a replay. The texts of bundles are as stored; null means that the workspace has none. */
export interface ReplayOrder extends Wanted {
  readonly candidate: string | null;
  readonly running: string | null;
}

/** A run that cannot continue, explained for its author. */
export class ReplayFailure extends Error {}

const DAY_CHARACTERS = 10;

/** `progressed` is called after every segment and may wait, so that others get their turn. */
export async function replayLog(
  reading: LogReading,
  order: ReplayOrder,
  progressed: (decisions: number) => Promise<void>,
): Promise<ImpactReport> {
  const { workspace, fromMs, toMs } = order;
  const days = [dayOf(fromMs), dayOf(toMs - 1)] as const;
  // INVARIANT: read before the log and compared after it, so that no decision is lost between the two.
  const pruned = await reading.prunedDecisions(workspace, ...days);
  const spans = await reading.spans();
  const run = await prepareRun(reading, order);
  const { report, inOrder } = run;
  report.notReplayed('pruned', pruned);
  for await (const segment of readInOrder(reading, spans, { fromMs: run.filledMs, toMs })) {
    const found = run.entriesIn(segment);
    if (inOrder === null) await replayAll(run, found);
    else {
      for (const one of found) inOrder.add(one);
      await replayAll(run, inOrder.release(segment.latestMs));
    }
    await progressed(report.decisions);
  }
  if (inOrder !== null) await replayAll(run, inOrder.releaseAll());
  if ((await reading.prunedDecisions(workspace, ...days)) !== pruned)
    throw new ReplayFailure('decisions in the range were pruned while it ran; start it again');
  return report.shown;
}

type Run = Awaited<ReturnType<typeof prepareRun>>;

async function prepareRun(reading: LogReading, order: ReplayOrder) {
  const { workspace, fromMs } = order;
  const candidate = bundleOf(order.candidate);
  const running = bundleOf(order.running);
  const limits = await ReplayLimits.of(reading, workspace, candidate.snapshot, running.snapshot);
  const filledMs = fromMs - (limits?.fillMs ?? 0);
  const recorded = new RecordedBundles(reading, workspace);
  return {
    report: new CountReport(candidate.documents),
    bundles: { candidate, running, recorded: recorded.of },
    recorded,
    limits,
    /** Counters need the entries in the order of their recording. */
    inOrder: limits === null ? null : new InOrder<FoundEntry>(),
    filledMs,
    entriesIn: prepareFind(order, filledMs, limits !== null),
  };
}

async function replayAll(run: Run, found: readonly FoundEntry[]): Promise<void> {
  for (const one of found) {
    if (one.kind === 'correction') run.limits?.giveBack(one.entry);
    else {
      const needed = one.record === null ? null : run.recorded.need(one.record.policyRef);
      if (needed !== null) await needed;
      replayOne(run, one);
    }
  }
}

function replayOne({ report, bundles, limits }: Run, { leaf, record, isCounted }: FoundDecision): void {
  // What a freeze stopped says nothing about the policies.
  if (record === null || leaf.reason_code === 'frozen') {
    if (isCounted) report.notReplayed(record === null ? 'version' : 'frozen');
    return;
  }
  const counters = limits?.read(leaf, record) ?? NO_LIMITS;
  const replay = replayRecord(record, bundles, counters);
  limits?.draw(counters, replay, leaf);
  if (!isCounted) return;
  if (replay.kind === 'not_replayed') {
    report.notReplayed(replay.because);
    return;
  }
  const { decision_id: decisionId, intentDigest } = leaf;
  const { before, after } = replay;
  report.replayed({ decisionId, intentDigest, intent: record.intent, before, after });
}

function bundleOf(text: string | null): ReplayBundle {
  if (text === null) return NO_BUNDLE;
  const bundle = replayBundle(text);
  if (bundle === null) throw new ReplayFailure('a bundle does not compile in this version; apply it again');
  return bundle;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, DAY_CHARACTERS);
}
