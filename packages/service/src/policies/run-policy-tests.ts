/** Runs the tests a bundle carries: one that fails keeps the bundle from being applied. */
import { type Fault, intentDigest, intentFromValue, parseInstant } from '@writecheck/contract';
import {
  decide,
  type PolicyDocument,
  type PolicySnapshot,
  type PolicyTestDocument,
  verifyAttestations,
} from '@writecheck/engine';

export interface TestFailure extends Fault {
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
    for (const fault of await runTest(document, snapshot, workspace)) failures.push({ document, ...fault });
  }
  return failures;
}

async function runTest(
  test: PolicyTestDocument,
  snapshot: PolicySnapshot,
  workspace: string,
): Promise<readonly Fault[]> {
  const named = `test \`${test.id}\``;
  const parsed = intentFromValue(test.intent);
  if (parsed.kind === 'refused') {
    return parsed.details.map(({ pointer, message }) => ({
      pointer: `/intent${pointer}`,
      message: `${named}: ${message}`,
    }));
  }
  const now = parseInstant(test.now);
  if (now === null) return [{ pointer: '/now', message: `${named}: \`${test.now}\` is no date-time` }];
  const { intent } = parsed;
  const facts = await verifyAttestations({ intent, intentDigest: intentDigest(intent), workspace, snapshot });
  const decided = decide(intent, facts, snapshot, now.ms);

  const faults: Fault[] = [];
  const expectSame = (pointer: string, expected: string | undefined, found: string | undefined) => {
    if (expected === undefined || expected === found) return;
    faults.push({ pointer, message: `${named}: expected \`${expected}\`, found \`${found ?? 'nothing'}\`` });
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
