/** Applies a bundle to a workspace: compiled, held against the running one, and swapped in only if that still runs. */
import type { ProblemDetail } from '@writecheck/contract';
import { type Compiled, compile, type PolicyFault } from '@writecheck/engine';
import { type Refusal, refuse } from '../keys/refusal.ts';
import type { Policies, StoredPolicy } from '../store/port.ts';
import type { CompareBundles } from './comparison.ts';
import type { Place } from './parse-policy-yaml.ts';
import type { PolicyBook } from './policy-book.ts';
import { runPolicyTests } from './run-policy-tests.ts';

export interface Application {
  readonly workspace: string;
  readonly authorKeyId: string | null;
  /** The digest the author believes to be running; null where the author does not mind. */
  readonly ifMatch: string | null;
  readonly isLooseningConfirmed: boolean;
  readonly nowMs: number;
  /** Where faults stand in the author's text, if there is one. */
  readonly locate?: ((faults: readonly PolicyFault[]) => Promise<readonly (Place | null)[]>) | undefined;
}

export interface Applied {
  readonly kind: 'applied';
  readonly revision: number;
  readonly digest: string;
}

export interface PolicyParts {
  readonly store: Policies;
  readonly book: PolicyBook;
  readonly compareBundles: CompareBundles;
}

/** How often a swap is tried again when somebody else's came first and the author named no digest. */
const MOST_TRIES = 5;

export async function applyPolicy(
  parts: PolicyParts,
  documents: readonly unknown[],
  application: Application,
): Promise<Applied | Refusal> {
  return check(parts, documents, null, application);
}

export async function rollBackPolicy(
  parts: PolicyParts,
  revision: number,
  application: Application,
): Promise<Applied | Refusal> {
  const old = await parts.store.findPolicy(application.workspace, revision);
  if (old === null) return refuse('not_found', `there is no revision ${revision} in this workspace`);
  // What compiled once may not compile in a later version: then the running bundle stays.
  return check(parts, JSON.parse(old.documents), revision, application);
}

async function check(
  parts: PolicyParts,
  documents: readonly unknown[],
  rollbackOf: number | null,
  application: Application,
): Promise<Applied | Refusal> {
  const compiled = compile(documents);
  const faults =
    compiled.kind === 'invalid'
      ? compiled.faults
      : await failedTests(documents, compiled, application.workspace);
  if (faults.length > 0 || compiled.kind === 'invalid') {
    const places = await application.locate?.(faults);
    return invalidPolicy(faults.map((fault, at) => placed(fault, places?.[at] ?? null)));
  }
  const { digest } = compiled;
  return swap(parts, { documents: compiled.documents, digest, rollbackOf }, application);
}

async function failedTests(
  documents: readonly unknown[],
  { snapshot, documents: compiled }: Extract<Compiled, { kind: 'snapshot' }>,
  workspace: string,
): Promise<readonly PolicyFault[]> {
  const failures = await runPolicyTests(compiled, snapshot, workspace);
  return failures.map(({ document, pointer, message }) => {
    const documentIndex = documents.findIndex((each) => {
      const { kind, id } = each as { readonly kind?: unknown; readonly id?: unknown };
      return kind === 'PolicyTest' && id === document.id;
    });
    return { documentIndex, pointer, message };
  });
}

/** A fault's place in the request, and in the author's text where that is known. */
function placed(fault: PolicyFault, place: Place | null): ProblemDetail {
  const { documentIndex, pointer, message, line, column } = fault;
  const detail = { pointer: `/documents/${documentIndex}${pointer}`, message };
  if (place !== null) return { ...detail, line: place.line, column: place.column };
  return line === undefined || column === undefined ? detail : { ...detail, line, column };
}

export function invalidPolicy(details: readonly ProblemDetail[]): Refusal {
  const count = details.length === 1 ? 'a fault' : `${details.length} faults`;
  return refuse('invalid_policy', `the bundle has ${count}; the running one goes on deciding`, details);
}

interface Candidate {
  readonly documents: readonly unknown[];
  readonly digest: string;
  readonly rollbackOf: number | null;
}

async function swap(
  parts: PolicyParts,
  next: Candidate,
  application: Application,
): Promise<Applied | Refusal> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const running = await parts.store.currentPolicy(application.workspace);
    const runningDigest = running?.digest ?? null;
    if (application.ifMatch !== null && application.ifMatch !== runningDigest) return conflict(runningDigest);
    if (running !== null && running.digest === next.digest) {
      return { kind: 'applied', revision: running.revision, digest: running.digest };
    }
    const unconfirmed = await refuseLoosening(parts.compareBundles, running, next, application);
    if (unconfirmed !== null) return unconfirmed;
    const outcome = await parts.store.appendPolicy({
      workspace: application.workspace,
      digest: next.digest,
      documents: JSON.stringify(next.documents),
      authorKeyId: application.authorKeyId,
      createdAtMs: application.nowMs,
      rollbackOf: next.rollbackOf,
      // INVARIANT: it replaces the very bundle it was compared with.
      expectedDigest: runningDigest,
    });
    if (outcome.kind !== 'conflict') {
      parts.book.forget(application.workspace);
      return { kind: 'applied', revision: outcome.revision, digest: next.digest };
    }
  }
  return conflict(null);
}

async function refuseLoosening(
  compareBundles: CompareBundles,
  running: StoredPolicy | null,
  next: Candidate,
  application: Application,
): Promise<Refusal | null> {
  if (running === null || application.isLooseningConfirmed) return null;
  const comparison = await compareBundles(JSON.parse(running.documents), next.documents);
  if (comparison.kind === 'at_least_as_strict') return null;
  return refuse(
    'loosening_unconfirmed',
    'the bundle may be looser than the running one; look at what changes, then apply it with `confirmLoosening=true`',
    comparison.examples,
  );
}

function conflict(runningDigest: string | null): Refusal {
  const running = runningDigest === null ? 'another one' : `\`${runningDigest}\``;
  return refuse(
    'revision_conflict',
    `the running bundle is ${running}; fetch it and apply your change again`,
  );
}
