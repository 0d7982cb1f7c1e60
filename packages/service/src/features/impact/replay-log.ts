/** Replays a range of the log under two bundles and counts: the whole run, without threads or progress bars. */
import type { ImpactReport } from '@writecheck/api';
import { canonicalJson } from '@writecheck/contract';
import type { Circumstances } from '@writecheck/engine';
import type { Leaf } from '@writecheck/ledger/log';
import { LATENESS_MS_MAX } from '@writecheck/store/commit/lateness';
import type { LogReading } from '@writecheck/store/port/log-reading';
import { textDigest } from '@writecheck/store/sha256';
import { type CaseCounts, CountCases, NOT_REPLAYED_CODE } from './count-cases.ts';
import { CountReport } from './count-report.ts';
import { type FoundDecision, type FoundEntry, prepareFind, type Wanted } from './find-entries.ts';
import { InOrder } from './in-order.ts';
import { readInOrder } from './read-in-order.ts';
import { RecordedBundles } from './recorded-bundles.ts';
import { NO_BUNDLE, type ReplayBundle, replayBundle } from './replay-bundle.ts';
import { NO_LIMITS } from './replay-counters.ts';
import { ReplayLimits } from './replay-limits.ts';
import { type ReadableRecord, type Replay, replayRecord } from './replay-record.ts';
import { UsedInReplay } from './used-in-replay.ts';

/** The order of a replay. The texts of bundles are as stored; null means that the workspace has none. */
export interface ReplayOrder extends Wanted {
  readonly candidate: string | null;
  readonly running: string | null;
  readonly baseline: 'running' | 'recorded';
  /** The profile to assess: the run also counts what it would have stopped. */
  readonly assess: string | null;
}

export interface ReplayResult {
  readonly report: ImpactReport;
  /** `sha256:` of the report's RFC 8785 form. */
  readonly digest: string;
  readonly cases: CaseCounts | null;
}

/** A run that cannot continue, explained for its author. */
export class ReplayFailure extends Error {}

export interface Progress {
  readonly decisions: number;
  /** Costs a little, so it is made only if somebody will read it. */
  readonly report: () => ImpactReport;
}

const DAY_CHARACTERS = 10;

/** `progressed` is called after every segment and may wait, so that others get their turn. */
export async function replayLog(
  reading: LogReading,
  order: ReplayOrder,
  progressed: (progress: Progress) => Promise<void>,
): Promise<ReplayResult> {
  const { workspace, fromMs, toMs } = order;
  const days = [dayOf(fromMs), dayOf(toMs - 1)] as const;
  // INVARIANT: read before the log and compared after it, so that no decision is lost between the two.
  const pruned = await reading.prunedDecisions(workspace, ...days);
  const spans = await reading.spans();
  const run = await prepareRun(reading, order, pruned);
  const { report, cases, inOrder } = run;
  const progress: Progress = {
    get decisions() {
      return report.decisions;
    },
    report: () => report.shown,
  };
  for await (const segment of readInOrder(reading, spans, { fromMs: run.filledMs, toMs })) {
    const found = run.entriesIn(segment);
    if (inOrder === null) await replayAll(run, found);
    else {
      for (const one of found) inOrder.add(one);
      await replayAll(run, inOrder.release(segment.latestMs));
    }
    await cases?.closeBefore(segment.latestMs - (inOrder === null ? 2 : 4) * LATENESS_MS_MAX);
    await progressed(progress);
  }
  if (inOrder !== null) await replayAll(run, inOrder.releaseAll());
  if ((await reading.prunedDecisions(workspace, ...days)) !== pruned)
    throw new ReplayFailure('decisions in the range were pruned while it ran; start it again');
  const shown = report.shown;
  return {
    report: shown,
    digest: textDigest(canonicalJson(shown)),
    cases: (await cases?.finish()) ?? null,
  };
}

type Run = Awaited<ReturnType<typeof prepareRun>>;

async function prepareRun(reading: LogReading, order: ReplayOrder, pruned: number) {
  const { workspace, fromMs, assess } = order;
  const candidate = bundleOf(order.candidate);
  const baseline = order.baseline === 'recorded' ? null : bundleOf(order.running);
  const report = new CountReport(candidate.documents);
  report.notReplayed('pruned', pruned);
  const approved = assess === null ? null : await reading.approvedSince(workspace, fromMs);
  const limits = await ReplayLimits.of(reading, workspace, candidate.snapshot, baseline?.snapshot ?? null);
  const filledMs = fromMs - (limits?.fillMs ?? 0);
  const recorded = new RecordedBundles(reading, workspace);
  return {
    report,
    assess,
    cases: approved === null ? null : new CountCases(reading, workspace, approved),
    bundles: { candidate, baseline, recorded: recorded.of },
    recorded,
    used: new UsedInReplay(candidate.snapshot),
    limits,
    /** Counters need the entries in the order of their recording. */
    inOrder: limits === null ? null : new InOrder<FoundEntry>(),
    filledMs,
    entriesIn: prepareFind(order, filledMs, limits !== null, baseline === null),
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

function replayOne(
  { report, cases, bundles, limits, used, assess }: Run,
  { leaf, record, isCounted }: FoundDecision,
): void {
  if (record === null) {
    if (!isCounted) return;
    report.notReplayed('version');
    cases?.add(caseOf(leaf, NOT_REPLAYED_CODE));
    return;
  }
  // A decision stopped by a freeze says nothing about the policies; decided again, it counts without the
  // freeze.
  if (bundles.baseline === null && leaf.reason_code === 'frozen') {
    if (isCounted) report.notReplayed('frozen');
    return;
  }
  const counters = limits?.read(leaf, record) ?? NO_LIMITS;
  const replay = replayRecord(record, bundles, counters);
  limits?.draw(counters, replay, leaf);
  if (!isCounted) return;
  if (replay.kind === 'replayed') report.replayed(subjectOf(leaf, record), replay.before, replay.after);
  else report.notReplayed(replay.because);
  // A decision stopped by a freeze is not a case for or against a profile.
  if (leaf.reason_code === 'frozen') return;
  if (cases === null || !replay.after.profiles.some(({ id }) => id === assess)) return;
  const { circumstances } = counters.candidate;
  cases.add(caseOf(leaf, stoppingCode(replay, record, used, circumstances)));
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

function subjectOf(
  { decision_id, intentDigest, keyId, decision, reason_code }: Leaf,
  { intent }: ReadableRecord,
): Parameters<CountReport['replayed']>[0] {
  const { system, objectType, objectRef, workflowId, metadata } = intent;
  const agent = metadata?.agent;
  return {
    decisionId: decision_id,
    intentDigest,
    keyId,
    agent: typeof agent === 'string' ? agent : undefined,
    system,
    objectType,
    objectRef,
    workflowId,
    recorded: { decision, reason_code },
  };
}

function caseOf({ decision_id, intentDigest, keyId, timestamp }: Leaf, stoppedBy: string | null) {
  return { decisionId: decision_id, intentDigest, keyId, timestamp, stoppedBy };
}

/** A decision that could not be replayed counts as stopped: doubt earns no promotion. */
function stoppingCode(
  replay: Replay,
  record: ReadableRecord,
  used: UsedInReplay,
  circumstances: Circumstances,
): string | null {
  if (replay.kind === 'not_replayed') return NOT_REPLAYED_CODE;
  const after = used.outcome(record, replay.after, circumstances);
  return replay.before.decision === 'allow' && after.decision !== 'allow' ? after.reasonCode : null;
}
