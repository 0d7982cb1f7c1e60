/**
 * Applies a bundle to a workspace: examines it, compares it with the running bundle, and replaces that bundle only if
 * it still runs.
 */
import type { ProblemDetail } from '@writecheck/contract';
import type { Store, StoredPolicy } from '@writecheck/store/port';
import type { Acting } from '@writecheck/store/port/acting';
import { type Refusal, refuse, refuseFor } from '../../exchange/refusal.ts';
import type { BundleSource } from './bundle-source.ts';
import { looseningDetails } from './compare-texts.ts';
import type { PolicyBook } from './policy-book.ts';
import type { PolicyJobs } from './policy-jobs.ts';
import { recordedIntents } from './recorded-intents.ts';

export interface Application {
  readonly workspace: string;
  readonly by: Acting;
  /** The digest that the author expects to be running; null if the author accepts any. */
  readonly ifMatch: string | null;
  readonly isLooseningConfirmed: boolean;
  /** Whether the author may confirm a loosening: all but people without the role `owner`. */
  readonly mayLoosen?: boolean;
  readonly nowMs: number;
  /** How large the bundle may be, if the workspace has a ceiling. */
  readonly bytesMax?: number | null;
  /** The author's message, kept with the revision. */
  readonly message?: string | null;
}

export interface Applied {
  readonly kind: 'applied';
  /** What its author should know, although it was applied. */
  readonly warnings: readonly string[];
  readonly revision: number;
  readonly digest: string;
}

export interface PolicyParts {
  readonly store: Store;
  readonly book: PolicyBook;
  readonly jobs: PolicyJobs;
}

type Difference = NonNullable<Awaited<ReturnType<PolicyJobs['compare']>>>;

/** A first bundle never loosens. */
const NOT_LOOSER: Difference = { findings: [], isLooser: false, examples: [] };
/** Doubt counts as looser. */
const NOT_COMPARED: Difference = { findings: [], isLooser: true, examples: [] };

/** How often a swap is retried after another author's swap came first, if the author named no digest. */
const TRIES_MAX = 5;

export async function applyPolicy(
  parts: PolicyParts,
  source: BundleSource,
  application: Application,
  rollbackOf: number | null = null,
): Promise<Applied | Refusal> {
  const examined = await parts.jobs.examine(source, application.workspace);
  if (examined.kind === 'busy') return tooManyAtOnce();
  if (examined.kind === 'invalid') return invalidPolicy(examined.details);
  const { bytesMax = null } = application;
  if (bytesMax !== null && Buffer.byteLength(examined.text) > bytesMax) return tooLargeHere(bytesMax);
  const { text, digest, warnings } = examined;
  return swap(parts, { text, digest, warnings, rollbackOf }, application);
}

export async function rollBackPolicy(
  parts: PolicyParts,
  revision: number,
  application: Application,
): Promise<Applied | Refusal> {
  const old = await parts.store.findPolicy(application.workspace, revision);
  if (old === null) return refuse('not_found', `there is no revision ${revision} in this workspace`);
  // A bundle that compiled once may not compile in a later version: then the running bundle stays.
  return applyPolicy(parts, { kind: 'stored', text: old.documents }, application, revision);
}

/** A workspace that signed itself up applies small bundles only. */
export function tooLargeHere(bytesMax: number): Refusal {
  const message = `the bundle of this workspace may have ${bytesMax} bytes in its RFC 8785 form; shorten it, or ask the operator for live keys`;
  return refuse('plan_limit', message);
}

export function tooManyAtOnce(): Refusal {
  const message = 'too many bundles are waiting to be checked; apply yours again in a moment';
  return refuseFor(5_000, 'overloaded', message);
}

export function invalidPolicy(details: readonly ProblemDetail[]): Refusal {
  const count = details.length === 1 ? 'a fault' : `${details.length} faults`;
  return refuse('invalid_policy', `the bundle has ${count}; the running one stays active`, details);
}

interface Candidate extends Pick<Applied, 'warnings'> {
  readonly text: string;
  readonly digest: string;
  readonly rollbackOf: number | null;
}

async function swap(
  parts: PolicyParts,
  next: Candidate,
  application: Application,
): Promise<Applied | Refusal> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const running = await parts.store.currentPolicy(application.workspace);
    const runningDigest = running?.digest ?? null;
    if (application.ifMatch !== null && application.ifMatch !== runningDigest) return conflict(runningDigest);
    // The store answers for the same bundle too: what it only reads, a failover could lose.
    const glance =
      running === null || runningDigest === next.digest
        ? NOT_LOOSER
        : ((await parts.jobs.compare(
            running.documents,
            next.text,
            null,
            application.nowMs,
            application.workspace,
          )) ?? NOT_COMPARED);
    if (running !== null && glance.isLooser) {
      if (!application.isLooseningConfirmed) return unconfirmed(parts, running, next, application, glance);
      if (application.mayLoosen === false) return NOT_YOURS_TO_CONFIRM;
    }
    const outcome = await parts.store.appendPolicy({
      workspace: application.workspace,
      digest: next.digest,
      documents: next.text,
      by: application.by,
      createdAtMs: application.nowMs,
      rollbackOf: next.rollbackOf,
      message: application.message ?? null,
      loosens: glance.isLooser,
      // INVARIANT: it replaces the very bundle it was compared with.
      expectedDigest: runningDigest,
    });
    if (outcome.kind !== 'conflict') {
      parts.book.forget(application.workspace);
      const { digest, warnings } = next;
      return { kind: 'applied', revision: outcome.revision, digest, warnings };
    }
  }
  return conflict(null);
}

/** Records and examples are fetched only if somebody reads them. */
async function unconfirmed(
  { store, jobs }: PolicyParts,
  running: StoredPolicy,
  next: Candidate,
  { workspace, nowMs }: Application,
  glance: Difference,
): Promise<Refusal> {
  const records = await recordedIntents(store, workspace);
  const recorded = { workspace, records };
  const difference = await jobs.compare(running.documents, next.text, recorded, nowMs, workspace);
  return refuse(
    'loosening_unconfirmed',
    'the bundle may be looser than the running one; review what changes, then apply it with `confirmLoosening=true`',
    looseningDetails(difference ?? glance),
  );
}

const NOT_YOURS_TO_CONFIRM = refuse(
  'insufficient_scope',
  'the bundle may be looser than the running one, and only an owner of the workspace may confirm that',
);

function conflict(runningDigest: string | null): Refusal {
  const running = runningDigest === null ? 'another one' : `\`${runningDigest}\``;
  return refuse(
    'revision_conflict',
    `the running bundle is ${running}; fetch it and apply your change again`,
  );
}
