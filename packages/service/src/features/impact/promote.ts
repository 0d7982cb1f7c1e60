/** Assesses an observing profile on what it would have stopped, and promotes it if it has earned that. */
import type { Assessment, RunSettings } from '@writecheck/api';
import { canonicalJson, DAY_MS, parseInstant } from '@writecheck/contract';
import { compile, type PolicyDocument, type ProfileDocument } from '@writecheck/engine';
import type { StoredPolicy } from '@writecheck/store/port';
import { type Refusal, refuse, refuseFor } from '../../exchange/refusal.ts';
import { newId } from '../../support/ids/new-id.ts';
import { type Applied, applyPolicy, invalidPolicy, type PolicyParts } from '../policies/apply-policy.ts';
import { storedDocuments } from '../policies/stored-documents.ts';
import { assessmentOf } from './assessment.ts';
import type { ImpactParts, ImpactRuns } from './impact-runs.ts';
import { observingSince } from './observing-since.ts';
import { promotedDocuments } from './promoted-documents.ts';
import type { Reason, Thresholds } from './thresholds.ts';

interface Promotion {
  readonly workspace: string;
  readonly by: RunSettings['by'];
  readonly profile: string;
  readonly thresholds: Thresholds;
  readonly apply: boolean;
  readonly force: boolean;
  readonly isLooseningConfirmed: boolean;
  readonly mayLoosen: boolean;
  /** The digest in `If-Match`; null if none was sent. */
  readonly ifMatch: string | null;
  readonly nowMs: number;
  /** Gets a function that cancels the run, to be called if the caller leaves. */
  readonly whenGone: (leave: () => void) => void;
}

export interface Promoted {
  readonly kind: 'promoted';
  readonly assessment: Assessment;
  readonly documents: readonly PolicyDocument[];
  /** The digest of the bundle that was assessed. */
  readonly ifMatch: string;
  readonly applied: Applied | null;
}

export interface PromotionParts extends ImpactParts {
  readonly runs: ImpactRuns;
  readonly policies: PolicyParts;
}

const COUNTED_MS_MAX = 90 * DAY_MS;

export async function promote(parts: PromotionParts, promotion: Promotion): Promise<Promoted | Refusal> {
  const observed = await observedProfile(parts, promotion);
  if (observed.kind === 'refused') return observed;
  const { running } = observed;
  const assessed = await assess(parts, promotion, observed);
  if (assessed.kind === 'refused') return assessed;
  const { assessment, text } = assessed;
  if (promotion.apply && assessment.verdict !== 'ready' && !promotion.force)
    return notEarned(assessment.reasons);
  const applied = promotion.apply ? await apply(parts, promotion, running, text) : null;
  if (applied?.kind === 'refused') return applied;
  const documents = storedDocuments(text) ?? [];
  return { kind: 'promoted', assessment, documents, ifMatch: running.digest, applied };
}

interface Observed {
  readonly kind: 'observed';
  readonly running: StoredPolicy;
  readonly documents: readonly PolicyDocument[];
  readonly profile: ProfileDocument;
  readonly sinceMs: number;
}

async function observedProfile({ store }: PromotionParts, promotion: Promotion): Promise<Observed | Refusal> {
  const { workspace, nowMs } = promotion;
  const running = await store.currentPolicy(workspace);
  const documents = storedDocuments(running?.documents ?? '[]') ?? [];
  const profile = documents.find(
    (document): document is ProfileDocument =>
      document.kind === 'Profile' && document.id === promotion.profile,
  );
  if (running === null || profile === undefined)
    return refuse('not_found', `the running bundle has no profile \`${promotion.profile}\``);
  const refusal = refuseUnlessObserving(profile, nowMs) ?? refuseOther(promotion, running);
  if (refusal !== null) return refusal;
  const sinceMs = await observingSince(store, workspace, running, profile);
  return { kind: 'observed', running, documents, profile, sinceMs };
}

interface Assessed {
  readonly kind: 'assessed';
  readonly assessment: Assessment;
  /** The text of the bundle in which the profile enforces. */
  readonly text: string;
}

/** Replays the log under the bundle in which the profile enforces. */
async function assess(
  { store, runs }: PromotionParts,
  promotion: Promotion,
  observed: Observed,
): Promise<Assessed | Refusal> {
  const { workspace, nowMs } = promotion;
  const { running, profile, sinceMs } = observed;
  const refs = { assessmentRef: newId('asm_', nowMs), runRef: runs.newRunId() };
  const { runRef } = refs;
  const tried = enforcing(promotion, observed, refs, 'promoted');
  if (tried.kind === 'invalid')
    return invalidPolicy(tried.faults.map(({ pointer, message }) => ({ pointer, message })));
  const keys = await store.listKeys(workspace);
  const fromMs = Math.max(sinceMs, nowMs - COUNTED_MS_MAX);
  const toMs = Math.max(nowMs, (await store.newestAtMs()) + 1);
  const settings = (digest: string): RunSettings => ({
    ...EVERYTHING,
    by: promotion.by,
    candidate: { digest, revision: null },
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
  });
  const candidate = canonicalJson(tried.documents);
  const order = { workspace, candidate, running: running.documents, fromMs, toMs, assess: profile.id };
  const concluded: Assessed[] = [];
  const started = await runs.start({
    id: runRef,
    settings: settings(tried.digest),
    order: { ...EVERYTHING, ...order },
    // INVARIANT: the run is done together with its assessment, or neither is.
    async conclude({ cases }, finishedAtMs) {
      const assessment = assessmentOf(
        {
          id: refs.assessmentRef,
          profile: profile.id,
          version: profile.version ?? null,
          assessedAtMs: nowMs,
          observingSinceMs: sinceMs,
          thresholds: promotion.thresholds,
          runRef,
          nameOf: (keyId) => keys.find(({ id }) => id === keyId)?.name ?? null,
        },
        cases!,
      );
      const final = enforcing(promotion, observed, refs, assessment.status);
      if (final.kind === 'invalid') throw new Error('a promoted bundle no longer compiles');
      concluded.push({ kind: 'assessed', assessment, text: canonicalJson(final.documents) });
      return {
        settings: JSON.stringify(settings(final.digest)),
        assessment: { id: assessment.id, document: JSON.stringify(assessment) },
        entries: [entryOf(workspace, assessment, finishedAtMs)],
      };
    },
  });
  if (started.kind === 'refused') return started;
  promotion.whenGone(() => void runs.cancel(workspace, runRef).catch(() => undefined));
  const ended = await started.ended;
  const found = concluded.at(-1);
  return ended?.state === 'done' && found !== undefined ? found : noAssessment(ended?.because ?? null);
}

const EVERYTHING = {
  baseline: 'running',
  system: null,
  workflowId: null,
  includeDevelopment: false,
} as const;

/** The bundle in which the profile enforces. */
function enforcing(
  { nowMs, by }: Promotion,
  { documents, profile }: Observed,
  refs: { readonly assessmentRef: string; readonly runRef: string },
  status: Assessment['status'],
): ReturnType<typeof compile> {
  const promotedAt = new Date(nowMs).toISOString();
  const from = { source: 'observe', ...refs, promotedAt, promotedBy: by.id, status } as const;
  return compile(promotedDocuments(documents, profile.id, from));
}

function entryOf(workspace: string, { id, profile, runRef, digest }: Assessment, atMs: number) {
  return {
    kind: 'assessment',
    workspace,
    timestamp: new Date(atMs).toISOString(),
    assessment: id,
    profile,
    run: runRef,
    assessmentDigest: digest,
  } as const;
}

function refuseUnlessObserving(
  { id, writePolicy, observeUntil }: ProfileDocument,
  nowMs: number,
): Refusal | null {
  const untilMs = observeUntil === undefined ? null : (parseInstant(observeUntil)?.ms ?? null);
  if (writePolicy !== 'observe') return refuse('not_observing', `profile \`${id}\` does not say \`observe\``);
  if (untilMs === null || untilMs > nowMs) return null;
  return refuse('not_observing', `profile \`${id}\` enforces since its \`observeUntil\``);
}

/** Checked before the log is replayed, and again when the bundle is applied. */
function refuseOther({ apply, ifMatch }: Promotion, running: StoredPolicy): Refusal | null {
  if (!apply || ifMatch === null || ifMatch === running.digest) return null;
  return refuse('revision_conflict', `the running bundle is \`${running.digest}\`; fetch it and try again`);
}

function noAssessment(because: string | null): Refusal {
  const message = `the run of the assessment did not finish${because === null ? '' : `: ${because}`}; try again`;
  return refuseFor(5_000, 'overloaded', message);
}

const POINTERS = { days: '/minDays', decisions: '/minDecisions', stopped: '/maxStopped' } as const;

function notEarned(reasons: readonly Reason[]): Refusal {
  return refuse(
    'promotion_not_earned',
    'the profile does not meet every threshold; nothing was applied',
    reasons.map(({ code, have, need }) => ({
      pointer: POINTERS[code],
      message: `\`${code}\`: it has ${have} and needs ${code === 'stopped' ? 'at most' : 'at least'} ${need}`,
    })),
  );
}

function apply(
  { policies, clock, now }: PromotionParts,
  { workspace, by, isLooseningConfirmed, mayLoosen }: Promotion,
  running: StoredPolicy,
  text: string,
): Promise<Applied | Refusal> {
  return applyPolicy(
    policies,
    { kind: 'stored', text },
    {
      workspace,
      by,
      // INVARIANT: it replaces the very bundle that was assessed.
      ifMatch: running.digest,
      isLooseningConfirmed,
      mayLoosen,
      // Decisions were made since the call; a revision is never dated before one of an earlier revision.
      nowMs: clock.notBefore(now()),
    },
  );
}
