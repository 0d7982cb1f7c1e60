/** Two writes to try first: one that the loaded policies allow, and a similar one that they stop. */
import { type EngineDecision, REVIEW_DESK, type Remediation, type WriteIntent } from '@writecheck/contract';
import { decide, type PolicySnapshot } from '@writecheck/engine/deciding';

export interface FirstCheck {
  readonly intent: WriteIntent;
  readonly decided: EngineDecision;
}

const CUSTOMER = {
  system: 'crm',
  objectType: 'customer',
  objectRef: 'C-1001',
  field: 'email',
  agentValue: 'ada@example.com',
};
const BOTH: WriteIntent = {
  ...CUSTOMER,
  requiredControls: ['identity', 'approval'],
  controlEvidence: [
    { controlId: 'identity', source: 'okta', result: 'PASS' },
    { controlId: 'approval', source: 'service-desk', result: 'PASS' },
  ],
};
/**
 * A bundle may require something that cannot be pasted, such as a signed approval: then another candidate is tried.
 */
const CANDIDATES: readonly WriteIntent[] = [
  BOTH,
  CUSTOMER,
  { ...CUSTOMER, requiredControls: ['identity'] },
  { system: 'demo', operation: 'note.add', requiredControls: ['demo-check'] },
];

/** The first is an allow and the second is not; if no such second write is found, there is only one. */
export function firstChecks(snapshot: PolicySnapshot, nowMs: number): readonly FirstCheck[] {
  const checked = (intent: WriteIntent): FirstCheck => ({
    intent,
    decided: decide(intent, [], snapshot, nowMs),
  });
  for (const candidate of CANDIDATES) {
    const good = supplied(checked(candidate), checked, nowMs);
    if (good.decided.decision !== 'allow') continue;
    const { controlEvidence = [], ...bare } = good.intent;
    const less = checked({ ...bare, controlEvidence: controlEvidence.slice(0, -1) });
    if (less.decided.decision === 'pause') return [good, less];
  }
  return [checked(BOTH)];
}

/** Adds whatever the decision says is missing, if it can be supplied without a signature. */
function supplied(
  check: FirstCheck,
  checked: (intent: WriteIntent) => FirstCheck,
  nowMs: number,
): FirstCheck {
  const { remediation = [] } = check.decided;
  const canSupply = remediation.every(
    ({ action, assurance }) => action === 'supply' && assurance !== 'attested',
  );
  return remediation.length === 0 || !canSupply
    ? check
    : checked(remediation.reduce((intent, need) => withSupplied(intent, need, nowMs), check.intent));
}

function withSupplied(intent: WriteIntent, need: Remediation, nowMs: number): WriteIntent {
  // A person's approval cannot be pasted.
  const source = need.acceptedSources?.find((one) => one !== REVIEW_DESK) ?? 'demo';
  if (need.controlId === undefined) {
    const value = intent.agentValue ?? 'demo';
    return {
      ...intent,
      authorityFound: true,
      authoritySource: source,
      authorityValue: value,
      agentValue: value,
    };
  }
  const checkedAt = need.maxAgeSeconds === undefined ? {} : { checkedAt: new Date(nowMs).toISOString() };
  const item = { controlId: need.controlId, source, result: 'PASS', ...checkedAt };
  return { ...intent, controlEvidence: [...(intent.controlEvidence ?? []), item] };
}
