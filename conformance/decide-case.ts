/** Decides a case with the packages alone, as an embedding application would. */
import { type DecisionResponse, decisionResponse, intentDigest, intentFromValue } from '@writecheck/contract';
import {
  compile,
  decide,
  EMPTY_SNAPSHOT,
  type PolicySnapshot,
  SUPPOSED_KEY,
  supposeDrawn,
  verifyAttestations,
} from '@writecheck/engine';
import { type ConformanceCase, signedIntent } from './case.ts';

const WORKSPACE = 'ws_0192f0c1d2e37abc8def0123456789ab';

export async function decideCase(conformanceCase: ConformanceCase): Promise<DecisionResponse> {
  const parsed = intentFromValue(await signedIntent(conformanceCase, WORKSPACE));
  if (parsed.kind !== 'intent') throw new Error(`${conformanceCase.name}: ${JSON.stringify(parsed)}`);
  const { intent, warnings } = parsed;
  const snapshot = snapshotOf(conformanceCase);
  const digest = intentDigest(intent);
  const facts = [
    ...(await verifyAttestations({ intent, intentDigest: digest, workspace: WORKSPACE, snapshot })),
  ];
  for (const { item, revoked = false, usedUp = false } of conformanceCase.attestations) {
    const verified = facts[item]!;
    if (verified.kind === 'verified') facts[item] = { ...verified, revoked, usedUp };
  }
  for (const { item, review, approvedAt, validUntil, usedUp = false, ...meant } of conformanceCase.reviews) {
    const { by = ['per_019c13f5a4007000a000000000000001'], confirmsAuthority = true } = meant;
    facts[item] = {
      kind: 'verified',
      jti: `${review}:${intent.controlEvidence![item]!.controlId}`,
      checkedAtMs: Date.parse(approvedAt),
      expiresAtMs: Date.parse(validUntil),
      boundToDigest: true,
      boundToObject: false,
      revoked: false,
      usedUp,
      approval: { by, confirmsAuthority },
    };
  }
  const { freezes } = conformanceCase;
  const nowMs = Date.parse(conformanceCase.now);
  // Nothing is drawn yet, as in a workspace that has just applied the policy.
  const readings = supposeDrawn(intent, facts, snapshot, nowMs, {});
  return decisionResponse(
    decide(intent, facts, snapshot, nowMs, { freezes, readings, firstKeyId: SUPPOSED_KEY }),
    {
      decisionId: '',
      auditId: '',
      requestId: '',
      traceId: '',
      timestampMs: nowMs,
      intentDigest: digest,
      warnings,
    },
  );
}

export function snapshotOf({ name, policy }: ConformanceCase): PolicySnapshot {
  if (policy.length === 0) return EMPTY_SNAPSHOT;
  const compiled = compile(policy);
  if (compiled.kind !== 'snapshot') throw new Error(`${name}: ${JSON.stringify(compiled.faults)}`);
  return compiled.snapshot;
}

const LEFT_OUT: ReadonlySet<string> = new Set([
  'success',
  'schemaVersion',
  'timestamp',
  'request_id',
  'traceId',
  'decision_id',
  'decisionId',
  'audit_id',
  'auditId',
  'reasonCode',
  'executionStatus',
  'requiredControls',
  'controlEvaluations',
]);

/** The part of a response that a case states: everything except identifiers, time and aliases. */
export function statedPart(response: object): object {
  return Object.fromEntries(Object.entries(response).filter(([member]) => !LEFT_OUT.has(member)));
}
