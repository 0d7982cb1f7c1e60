/** Compares a bundle with the running one, and searches for intents that show what loosens. */
import { type EngineDecision, intentFromValue, type ProblemDetail } from '@writecheck/contract';
import {
  type AttestationChecks,
  compareBundles,
  compile,
  type Finding,
  findLoosened,
  type LoosenedExample,
  loosens,
  mayLoosen,
  type PolicyDocument,
  type PolicySnapshot,
  type SampleCase,
  sampleCases,
  testCases,
} from '@writecheck/engine';
import { recordedIntent } from '@writecheck/ledger/log';
import { storedDocuments } from './stored-documents.ts';

/** How long to search for examples; the finding itself does not need them. */
const SEARCH_MS = 1_000;

export interface BundleDifference {
  readonly findings: readonly Finding[];
  readonly isLooser: boolean;
  /** Searched for only if something loosens. */
  readonly examples: readonly LoosenedExample[];
}

interface CompiledBundle {
  readonly documents: readonly PolicyDocument[];
  readonly snapshot: PolicySnapshot;
}

/** Audit records of earlier checks, as the log stores them; records of other workspaces are skipped. */
export interface Recorded {
  readonly workspace: string;
  readonly records: readonly Uint8Array[];
}

export function compareWithExamples(
  before: CompiledBundle,
  after: CompiledBundle,
  recorded: Recorded | null,
  nowMs: number,
): BundleDifference {
  const comparison = compareBundles(before.documents, after.documents);
  const isLooser = loosens(comparison);
  const examples: LoosenedExample[] = [];
  if (isLooser) {
    const startedMs = performance.now();
    const isOver = () => performance.now() - startedMs > SEARCH_MS;
    // Recorded writes are the best examples, then the authors' own cases, then merely possible ones.
    for (const cases of [
      recorded === null ? [] : recordedCases(recorded),
      testCases([...before.documents, ...after.documents]),
      sampleCases(before.documents, after.documents, nowMs),
    ]) {
      findLoosened(cases, before.snapshot, after.snapshot, isOver, examples);
    }
  }
  return { findings: comparison.findings, isLooser, examples };
}

/** The documents as stored: already compiled, in their order. Without records, no examples are searched for. */
export function compareTexts(
  running: string,
  next: string,
  recorded: Recorded | null,
  nowMs: number,
): BundleDifference {
  if (recorded === null) {
    const comparison = compareBundles(read(running), read(next));
    return { findings: comparison.findings, isLooser: loosens(comparison), examples: [] };
  }
  return compareWithExamples(compiled(running), compiled(next), recorded, nowMs);
}

function read(text: string): readonly PolicyDocument[] {
  const documents = storedDocuments(text);
  if (documents === null) throw new Error('a bundle that was applied cannot be read');
  return documents;
}

function compiled(text: string): CompiledBundle {
  const result = compile(read(text));
  if (result.kind === 'snapshot') return result;
  throw new Error(`a bundle that was applied does not compile: ${result.faults[0]?.message}`);
}

function* recordedCases({ workspace, records }: Recorded): Generator<SampleCase> {
  const text = new TextDecoder();
  for (const bytes of records) {
    const record = JSON.parse(text.decode(bytes)) as {
      readonly workspace?: unknown;
      readonly timestamp: string;
      readonly facts?: readonly AttestationChecks[];
      readonly decision: Pick<EngineDecision, 'decision' | 'reasonCode'>;
    };
    // INVARIANT: nobody sees an intent of another workspace.
    if (record.workspace !== workspace) continue;
    const parsed = intentFromValue(recordedIntent(bytes));
    if (parsed.kind !== 'intent') continue;
    const nowMs = Date.parse(record.timestamp);
    const { decision, reasonCode } = record.decision;
    const recorded = { decision, reason_code: reasonCode };
    yield { intent: parsed.intent, facts: record.facts ?? [], nowMs, origin: 'recorded', recorded };
  }
}

/** Shows a person who must confirm what loosens, then examples of it. */
export function looseningDetails({ findings, examples }: BundleDifference): readonly ProblemDetail[] {
  return [
    ...findings
      .filter(mayLoosen)
      .slice(0, DETAILS_MAX)
      .map((finding) => ({
        pointer: finding.pointer,
        message: describeFinding(finding),
        ...(finding.kind === 'unclear' && { unclear: true }),
      })),
    ...examples.map((example) => ({ pointer: '', message: describeExample(example), example })),
  ];
}

const DETAILS_MAX = 100;

export function describeFinding({ documentKind, id, message }: Finding): string {
  return `${documentKind}${id === '' ? '' : ` \`${id}\``}: ${message}`;
}

export function describeExample({ intent, sent, before, after }: LoosenedExample): string {
  const { system, objectType, field, operation, workflowId, metadata } = intent;
  const target = [system, objectType, field, operation].filter((part) => part !== undefined).join(' ');
  const under = workflowId === undefined ? '' : ` under workflow \`${workflowId}\``;
  const beside = metadata === undefined ? '' : ` with metadata \`${JSON.stringify(metadata).slice(0, 200)}\``;
  const reason = after.decision === 'allow' ? '' : ` (\`${after.reason_code}\`)`;
  const change = `is ${before.decision} (\`${before.reason_code}\`) and becomes ${after.decision}${reason}`;
  return `example: a write to \`${target}\`${under}${beside} (${sent}) ${change}`;
}
