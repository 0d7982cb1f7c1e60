/** Checks a bundle before it is applied. Runs in a worker, so that typing stays smooth. */
import type { JsonObject } from '@writecheck/contract';
import {
  compareBundles,
  compile,
  EMPTY_SNAPSHOT,
  type Finding,
  findLoosened,
  type LintWarning,
  type LoosenedExample,
  lintBundle,
  mayLoosen,
  type PolicyDocument,
  type PolicySnapshot,
  runPolicyTest,
  sampleCases,
  testCases,
} from '@writecheck/engine';
import { inNumbers } from './change-words.ts';
import { type DiffLine, lineDifference } from './line-difference.ts';
import { printDocument, printDocuments, readYaml } from './read-yaml.ts';

export interface ExamineRequest {
  readonly text: string;
  readonly running: readonly PolicyDocument[];
  readonly workspace: string;
  readonly nowMs: number;
}

export type Examined = Awaited<ReturnType<typeof examinePolicies>>;
type Valid = Extract<Examined, { kind: 'valid' }>;
export type TestResult = Valid['tests'][number];
/** A document and the line it starts at. */
export type OutlineEntry = Valid['outline'][number];

interface ChangedLine extends DiffLine {
  /** Whether the policy loosens at this line, or may; null if neither. */
  readonly loose: 'loosens' | 'unclear' | null;
}

export interface DocumentChange {
  readonly kind: PolicyDocument['kind'];
  readonly id: string;
  readonly change: 'new' | 'gone' | 'changed';
  readonly findings: readonly Finding[];
  /** Whether it may loosen. */
  readonly isLoose: boolean;
  readonly lines: readonly ChangedLine[];
}

const SEARCH_MS = 1_000;

export async function examinePolicies(request: ExamineRequest) {
  const { text, running, workspace, nowMs } = request;
  const read = readYaml(text);
  // Lines of the text that the live bundle does not have.
  const changedLines = lineDifference(printDocuments(running), text)
    .filter(({ kind }) => kind === 'added')
    .map(({ number }) => number);
  if (read.kind === 'faults') return { kind: 'invalid' as const, faults: read.faults, changedLines };
  const compiled = compile(read.documents);
  if (compiled.kind === 'invalid') {
    const faults = compiled.faults.map(({ documentIndex, pointer, message, column }) => ({
      ...read.placeOf(documentIndex, pointer),
      message: withSubject(
        pointer,
        column === undefined ? message : `${message} (column ${column} of the condition)`,
      ),
    }));
    return { kind: 'invalid' as const, faults, changedLines };
  }
  const places = new Map(read.documents.map((document, at) => [identityOf(document as PolicyDocument), at]));
  const placeOf = (document: PolicyDocument, pointer: string) =>
    read.placeOf(places.get(identityOf(document)) ?? 0, pointer);
  const { documents, snapshot, digest } = compiled;
  const tests = await Promise.all(
    documents
      .filter((document) => document.kind === 'PolicyTest')
      .map(async (test) => {
        const { decided, faults } = await runPolicyTest(test, snapshot, workspace);
        return {
          id: test.id,
          line: placeOf(test, '').line,
          faults: faults.map(({ pointer, message }) => `${pointer}: ${message}`),
          /** The reason of the decision that was found; null if the test could not run. */
          why: decided?.reason ?? null,
          intent: test.intent as JsonObject,
        };
      }),
  );
  const { findings } = compareBundles(running, documents);
  const known = new Set(lintBundle(running).map(warningKey));
  const before = snapshotOf(running);
  return {
    kind: 'valid' as const,
    changedLines,
    digest,
    documents: documents.length,
    outline: documents.map((document) => ({
      kind: document.kind,
      id: document.kind === 'Defaults' ? '' : document.id,
      line: placeOf(document, '').line,
    })),
    warnings: lintBundle(documents).map((warning) => ({
      ...placeOf(warning.document, warning.pointer),
      message: warning.message,
      /** Whether the live bundle does not have it. */
      isNew: !known.has(warningKey(warning)),
    })),
    tests,
    changes: changesBetween(running, documents, findings),
    examples: findings.some(mayLoosen) ? examplesOf(running, documents, [before, snapshot], nowMs) : [],
    /** The controls whose open reviews and unused approvals would stop counting. */
    outdatedReviews: outdatedBetween(before, snapshot),
  };
}

/** Many messages say what a value must be; a person also reads which one. */
function withSubject(pointer: string, message: string): string {
  const member = pointer.split('/').findLast((part) => part !== '' && !/^\d+$/.test(part));
  return member === undefined || message.includes(`\`${member}\``) ? message : `\`${member}\`: ${message}`;
}

function warningKey({ document, pointer, message }: LintWarning): string {
  return `${identityOf(document)} ${pointer} ${message}`;
}

function identityOf(document: PolicyDocument): string {
  return `${document.kind} ${document.kind === 'Defaults' ? '' : document.id}`;
}

function changesBetween(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
  findings: readonly Finding[],
): readonly DocumentChange[] {
  const old = new Map(before.map((document) => [identityOf(document), document]));
  const next = new Map(after.map((document) => [identityOf(document), document]));
  const changes: DocumentChange[] = [];
  for (const identity of new Set([...old.keys(), ...next.keys()])) {
    const [was, is] = [old.get(identity), next.get(identity)];
    const one = (is ?? was)!;
    const oldText = was === undefined ? '' : printDocument(inOrderOf(was, is) as PolicyDocument);
    const newText = is === undefined ? '' : printDocument(is);
    const id = one.kind === 'Defaults' ? '' : one.id;
    const own = findings
      .filter((finding) => finding.documentKind === one.kind && finding.id === id)
      .map((finding) => inNumbers(finding, was, is));
    if (oldText === newText && own.length === 0) continue;
    changes.push({
      kind: one.kind,
      id,
      change: was === undefined ? 'new' : is === undefined ? 'gone' : 'changed',
      findings: own,
      isLoose: own.some(mayLoosen),
      lines: markLoose(lineDifference(oldText, newText), own, oldText, newText),
    });
  }
  return changes.sort((a, b) => Number(b.isLoose) - Number(a.isLoose));
}

/** Reorders members like `model`: order has no meaning, and the service stores another order than the author's. */
function inOrderOf(value: unknown, model: unknown): unknown {
  if (typeof value !== 'object' || value === null || typeof model !== 'object' || model === null)
    return value;
  if (Array.isArray(value))
    return value.map((each, at) => inOrderOf(each, Array.isArray(model) ? model[at] : null));
  const [from, like] = [value, model] as { readonly [name: string]: unknown }[];
  const names = [...Object.keys(like!), ...Object.keys(from!)].filter((name) => Object.hasOwn(from!, name));
  return Object.fromEntries([...new Set(names)].map((name) => [name, inOrderOf(from![name], like![name])]));
}

/** Marks changed lines that a loosening finding points to, in the old text or the new one. */
function markLoose(
  lines: readonly DiffLine[],
  findings: readonly Finding[],
  oldText: string,
  newText: string,
): readonly ChangedLine[] {
  const [removed, added] = [oldText, newText].map((text) => {
    const read = readYaml(text);
    const marks = (kind: 'loosens' | 'unclear', number: number) =>
      findings.some((finding) => {
        const range =
          finding.kind === kind && read.kind === 'documents' ? read.linesOf(0, finding.pointer) : null;
        return range !== null && number >= range[0] && number <= range[1];
      });
    return (number: number) => (['loosens', 'unclear'] as const).find((kind) => marks(kind, number)) ?? null;
  });
  return lines.map((line) => ({
    ...line,
    loose: line.kind === 'same' ? null : (line.kind === 'removed' ? removed! : added!)(line.number),
  }));
}

function snapshotOf(documents: readonly PolicyDocument[]): PolicySnapshot {
  const compiled = compile(documents);
  return compiled.kind === 'snapshot' ? compiled.snapshot : EMPTY_SNAPSHOT;
}

/** By the service's rule: a review counts only under the very rule that it was opened with. */
function outdatedBetween(before: PolicySnapshot, after: PolicySnapshot): readonly string[] {
  return [...before.controls.values()]
    .filter(({ id, review }) => review !== null && review.canonical !== after.controlOf(id).review?.canonical)
    .map(({ id }) => id);
}

function examplesOf(
  before: readonly PolicyDocument[],
  after: readonly PolicyDocument[],
  [beforeSnapshot, afterSnapshot]: readonly [PolicySnapshot, PolicySnapshot],
  nowMs: number,
): readonly LoosenedExample[] {
  const startedMs = performance.now();
  const isOver = () => performance.now() - startedMs > SEARCH_MS;
  const found: LoosenedExample[] = [];
  for (const cases of [testCases([...before, ...after]), sampleCases(before, after, nowMs)])
    findLoosened(cases, beforeSnapshot, afterSnapshot, isOver, found);
  return found;
}
