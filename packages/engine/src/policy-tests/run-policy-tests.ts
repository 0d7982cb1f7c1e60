/** Runs the tests that a bundle carries: a failing test keeps the bundle from being applied. */
import {
  type EngineDecision,
  type Fault,
  intentDigest,
  intentFromValue,
  parseInstant,
} from '@writecheck/contract';
import { decide } from '../decide.ts';
import { verifyAttestations } from '../evidence/verify-attestations.ts';
import type { PolicyDocument, PolicyTestDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import type { PolicySnapshot } from '../policy/snapshot.ts';
import { supposeAttestations } from './suppose-attestations.ts';
import { SUPPOSED_KEY, supposeDrawn } from './suppose-drawn.ts';

interface TestFailure extends Fault {
  readonly document: PolicyTestDocument;
}

export async function runPolicyTests(
  documents: readonly PolicyDocument[],
  snapshot: PolicySnapshot,
  workspace: string,
): Promise<readonly TestFailure[]> {
  const failures: TestFailure[] = [];
  for (const document of documents) {
    if (document.kind !== 'PolicyTest') continue;
    const { faults } = await runPolicyTest(document, snapshot, workspace);
    for (const { pointer, message } of faults)
      failures.push({ document, pointer, message: `test ${quoted(document.id)}: ${message}` });
  }
  return failures;
}

interface TestRun {
  readonly faults: readonly Fault[];
  /** Null if there was nothing to decide. */
  readonly decided: EngineDecision | null;
}

export async function runPolicyTest(
  test: PolicyTestDocument,
  snapshot: PolicySnapshot,
  workspace: string,
): Promise<TestRun> {
  const parsed = intentFromValue(test.intent);
  if (parsed.kind === 'refused') {
    const faults = parsed.details.map(({ pointer, message }) => ({ pointer: `/intent${pointer}`, message }));
    return { faults, decided: null };
  }
  const now = parseInstant(test.now);
  if (now === null) {
    return {
      faults: [{ pointer: '/now', message: `${quoted(test.now)} is not a date-time` }],
      decided: null,
    };
  }
  const { intent } = parsed;
  const verified = await verifyAttestations({
    intent,
    intentDigest: intentDigest(intent),
    workspace,
    snapshot,
  });
  const { facts, faults } = supposeAttestations(intent, test.intent, verified, snapshot, now.ms);
  const decided = decide(intent, facts, snapshot, now.ms, {
    freezes: [],
    readings: supposeDrawn(intent, facts, snapshot, now.ms, test.drawn ?? {}),
    firstKeyId: SUPPOSED_KEY,
  });
  return { faults: [...faults, ...mismatches(test, decided)], decided };
}

function mismatches(test: PolicyTestDocument, decided: EngineDecision): readonly Fault[] {
  const faults: Fault[] = [];
  const expectSame = (pointer: string, expected: string | undefined, found: string | undefined) => {
    if (expected === undefined || expected === found) return;
    faults.push({ pointer, message: `expected \`${expected}\`, found \`${found ?? 'nothing'}\`` });
  };
  expectSame('/expect/decision', test.expect.decision, decided.decision);
  expectSame('/expect/reason_code', test.expect.reason_code, decided.reasonCode);
  for (const [controlId, code] of Object.entries(test.expect.codes ?? {})) {
    const evaluation = decided.controlEvaluations.find((each) => each.controlId === controlId);
    expectSame(
      `/expect/codes/${controlId.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      code,
      evaluation?.code,
    );
  }
  return faults;
}
