/** Builds the assessment of an observing profile, and its digest. */
import type { Assessment } from '@writecheck/api';
import { canonicalJson } from '@writecheck/contract';
import { textDigest } from '@writecheck/store/sha256';
import type { CaseCounts } from './count-cases.ts';
import { isAsStrictAsDefault, type Thresholds, unmetThresholds } from './thresholds.ts';

export interface Assessed {
  readonly id: string;
  readonly profile: string;
  readonly version: string | null;
  readonly assessedAtMs: number;
  readonly observingSinceMs: number;
  readonly thresholds: Thresholds;
  readonly runRef: string;
  readonly nameOf: (keyId: string) => string | null;
}

export function assessmentOf(assessed: Assessed, { decisions, stopped, byKey }: CaseCounts): Assessment {
  const { id, profile, version, assessedAtMs, observingSinceMs, thresholds, runRef, nameOf } = assessed;
  const share = decisions === 0 ? 0 : stopped.decisions / decisions;
  const reasons = unmetThresholds(thresholds, assessedAtMs - observingSinceMs, decisions, share);
  const isEarned = reasons.length === 0 && isAsStrictAsDefault(thresholds);
  const content: Omit<Assessment, 'id' | 'digest'> = {
    verdict: reasons.length === 0 ? 'ready' : 'not_ready',
    reasons,
    status: isEarned ? 'promoted' : 'forced',
    profile,
    version,
    assessedAt: new Date(assessedAtMs).toISOString(),
    observingSince: new Date(observingSinceMs).toISOString(),
    thresholds,
    runRef,
    decisions,
    stopped: {
      decisions: stopped.decisions,
      share,
      redeemed: stopped.redeemed,
      approved: stopped.approved,
      byCode: stopped.byCode,
    },
    byKey: byKey.map(({ keyId, ...counts }) => ({ keyId, name: nameOf(keyId), ...counts })),
  };
  const digest = textDigest(canonicalJson({ id, ...content }));
  return { id, digest, ...content };
}
