/** The example in the published schema: an approval is missing, so the write pauses. */
import type { EngineDecision } from '../decision.ts';
import { type DecisionResponse, decisionResponse } from '../decision-response.ts';

const PAUSED: EngineDecision = {
  decision: 'pause',
  evaluatedDecision: 'pause',
  reason: 'control `approval` has no evidence: supply a PASS from `ticketing` that is at most 24 h old',
  reasonCode: 'CONTROL_EVIDENCE_MISSING',
  requiredControls: ['identity', 'approval'],
  controlEvaluations: [
    {
      controlId: 'identity',
      present: true,
      result: 'PASS',
      source: 'okta',
      checkedAt: '2026-01-31T12:00:00Z',
      fresh: true,
      status: 'satisfied',
      code: 'CONTROL_SATISFIED',
      effect: 'allow',
      authorityState: 'valid',
    },
    {
      controlId: 'approval',
      present: false,
      fresh: false,
      status: 'missing',
      code: 'CONTROL_EVIDENCE_MISSING',
      effect: 'pause',
      authorityState: 'unknown',
    },
  ],
  profileProvenance: { profileId: 'refunds', profileVersion: '1', source: 'match' },
  requirementProvenance: [
    { controlId: 'identity', sources: ['request', 'profile:refunds@1'] },
    { controlId: 'approval', sources: ['profile:refunds@1'] },
  ],
  writePolicy: 'enforce',
  observeMode: false,
  enforced: true,
  warn: false,
  failClosed: true,
  remediation: [
    {
      gate: 'control',
      controlId: 'approval',
      action: 'supply',
      need: 'a PASS for `approval`',
      acceptedSources: ['ticketing'],
      maxAgeSeconds: 86_400,
    },
  ],
  warnings: [],
  consumes: [],
  restsOn: [],
};

export const DECISION_EXAMPLE: DecisionResponse = decisionResponse(PAUSED, {
  decisionId: 'dec_019c13f5a4007000a000000000000001',
  auditId: 'aud_019c13f5a4007000a000000000000002',
  requestId: 'req_019c13f5a4007000a000000000000003',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  timestampMs: Date.UTC(2026, 0, 31, 12, 0, 30),
  intentDigest: 'sha256:78874aadce46552d677adf544e31ae984e2f733148e12fdb31c808e351aaed37',
  warnings: [],
});
