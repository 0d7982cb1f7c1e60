/** Replays a range of the log under two bundles and counts: the whole run, without threads or progress bars. */

import { hash } from 'node:crypto';
import type { ImpactReport } from '@writecheck/api';
import { canonicalJson } from '@writecheck/contract';
import type { Leaf } from '@writecheck/ledger';

import { LATENESS_MS_MAX } from '@writecheck/store/commit/lateness';
import type { LogReading } from '@writecheck/store/port/log-reading';
import { type StoredEntry, useSegment } from '@writecheck/store/segment';
import { type CaseCounts, CountCases, NOT_REPLAYED_CODE } from './count-cases.ts';
import { CountReport } from './count-report.ts';
import { readInOrder } from './read-in-order.ts';
import { RecordedBundles } from './recorded-bundles.ts';
import { NO_BUNDLE, type ReplayBundle, replayBundle } from './replay-bundle.ts';
import { type ReadableRecord, type Replay, readForReplay, replayRecord } from './replay-record.ts';
import { UsedInReplay } from './used-in-replay.ts';

/** What to replay. The texts of bundles are as stored; null means that the workspace has none. */
export interface ReplayOrder {
  readonly workspace: string;
  readonly candidate: string | null;
  readonly running: string | null;
  readonly baseline: 'running' | 'recorded';
  readonly fromMs: number;
  readonly toMs: number;
  readonly system: string | null;
  readonly workflowId: string | null;
  readonly includeDevelopment: boolean;
  /** Also counts what this profile would have stopped. */
  readonly assess: string | null;
}

export interface ReplayResult {
  readonly report: ImpactReport;
  /** `sha256:` of the report's RFC 8785 form. */
  readonly digest: string;
  readonly cases: CaseCounts | null;
}

/** A run that cannot go on, in words for its author. */
export class ReplayFailure extends Error {}

export interface Progress {
  readonly decisions: number;
  /** Costs a little, so it is made only if somebody will read it. */
  readonly report: () => ImpactReport;
}

const DAY_CHARACTERS = 10;
/** How a decision's leaf begins, and no other entry. A leaf is ASCII. */
const DECISION_START = Buffer.from('{"audit_id":');

/** `progressed` is called after every segment and may wait, so that others get their turn. */
export async function replayLog(
  reading: LogReading,
  order: ReplayOrder,
  progressed: (progress: Progress) => Promise<void>,
): Promise<ReplayResult> {
  const { workspace, fromMs, toMs } = order;
  const candidate = bundleOf(order.candidate);
  const baseline = order.baseline === 'recorded' ? null : bundleOf(order.running);
  const days = [dayOf(fromMs), dayOf(toMs - 1)] as const;
  // INVARIANT: read before the log and compared after it, so that no decision is lost between the two.
  const pruned = await reading.prunedDecisions(workspace, ...days);
  const spans = await reading.spans();
  const recorded = new RecordedBundles(reading, workspace);
  const report = new CountReport(candidate.documents);
  report.notReplayed('pruned', pruned);
  const cases =
    order.assess === null
      ? null
      : new CountCases(reading, workspace, await reading.approvedSince(workspace, fromMs));
  const used = new UsedInReplay(candidate.snapshot);
  const bundles = { candidate, baseline, recorded: recorded.of };
  const progress: Progress = {
    get decisions() {
      return report.decisions;
    },
    report: () => report.shown,
  };

  const isMine = filterOf(order);
  for await (const segment of readInOrder(reading, spans, { fromMs, toMs })) {
    const found: { readonly leaf: Leaf; readonly record: ReadableRecord | null }[] = [];
    useSegment(segment, (entries) => {
      for (const entry of entries) {
        const leaf = isMine.leaf(entry);
        if (leaf === null) continue;
        const record = readForReplay(entry.record, leaf, baseline === null);
        if (record === null || isMine.intent(record)) found.push({ leaf, record });
      }
    });
    for (const { leaf, record } of found) {
      if (record === null) {
        report.notReplayed('version');
        cases?.add(caseOf(leaf, NOT_REPLAYED_CODE));
        continue;
      }
      // What a freeze stopped says nothing about the policies; decided again, it is counted without the freeze.
      if (baseline === null && leaf.reason_code === 'frozen') {
        report.notReplayed('frozen');
        continue;
      }
      const needed = recorded.need(record.policyRef);
      if (needed !== null) await needed;
      const replay = replayRecord(record, bundles);
      if (replay.kind === 'replayed') report.replayed(subjectOf(leaf, record), replay.before, replay.after);
      else report.notReplayed(replay.because);
      // What a freeze stopped is no case for or against a profile.
      if (leaf.reason_code === 'frozen') continue;
      if (cases === null || !replay.after.profiles.some(({ id }) => id === order.assess)) continue;
      cases.add(caseOf(leaf, stoppingCode(replay, record, used)));
    }
    await cases?.closeBefore(segment.latestMs - 2 * LATENESS_MS_MAX);
    await progressed(progress);
  }
  if ((await reading.prunedDecisions(workspace, ...days)) !== pruned)
    throw new ReplayFailure('decisions in the range were pruned while it ran; start it again');
  const shown = report.shown;
  return {
    report: shown,
    digest: `sha256:${hash('sha256', canonicalJson(shown))}`,
    cases: (await cases?.finish()) ?? null,
  };
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

/** Which decisions are in the range, as far as the leaf says, and then as far as the intent does. */
function filterOf({ workspace, fromMs, toMs, system, workflowId, includeDevelopment }: ReplayOrder) {
  // Every entry that names its workspace names it last; this skips other workspaces' without parsing them.
  const ending = Buffer.from(`"workspace":"${workspace}"}`);
  return {
    leaf({ leaf }: StoredEntry): Leaf | null {
      if (leaf.length < ending.length || !leaf.subarray(-ending.length).equals(ending)) return null;
      if (!leaf.subarray(0, DECISION_START.length).equals(DECISION_START)) return null;
      const found = JSON.parse(leaf.toString('latin1')) as Leaf;
      if (found.keyKind === 'development' && !includeDevelopment) return null;
      const atMs = Date.parse(found.timestamp);
      return atMs >= fromMs && atMs < toMs ? found : null;
    },
    intent({ intent }: ReadableRecord): boolean {
      if (system !== null && intent.system !== system) return false;
      return workflowId === null || intent.workflowId === workflowId;
    },
  };
}

function subjectOf(
  { decision_id, intentDigest, keyId }: Leaf,
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
  };
}

function caseOf({ decision_id, intentDigest, keyId, timestamp }: Leaf, stoppedBy: string | null) {
  return { decisionId: decision_id, intentDigest, keyId, timestamp, stoppedBy };
}

/** What could not be replayed counts as stopped: doubt earns no promotion. */
function stoppingCode(replay: Replay, record: ReadableRecord, used: UsedInReplay): string | null {
  if (replay.kind === 'not_replayed') return NOT_REPLAYED_CODE;
  const after = used.outcome(record, replay.after);
  return replay.before.decision === 'allow' && after.decision !== 'allow' ? after.reasonCode : null;
}
