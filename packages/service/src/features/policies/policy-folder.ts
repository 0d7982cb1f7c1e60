/** Applies a folder of policies to the first workspace when the service starts. */
import type { Store } from '@writecheck/store/port';
import { applyPolicy, type PolicyParts } from './apply-policy.ts';
import { describeDetail } from './describe-detail.ts';
import { FolderUnusable } from './folder-unusable.ts';
import { readPolicyFolder } from './read-policy-folder.ts';

interface FolderLog {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}

interface FolderParts extends PolicyParts {
  readonly store: Store;
  readonly log: FolderLog;
  readonly clock: () => number;
}

const LOOK_EVERY_MS = 100;

/**
 * Resolves before any decision if there is a workspace; if not, the folder waits for it, until `stopped`. Rejects with
 * `FolderUnusable` if the folder has an error and no bundle runs: an operator who names a folder expects it to decide.
 */
export async function applyFolder(
  parts: FolderParts,
  folder: string,
  confirmed: string | null,
  stopped: AbortSignal,
): Promise<void> {
  const { store, log } = parts;
  const bundle = await readBundle(parts, folder);
  const workspace = await firstWorkspace(store);
  if ('faults' in bundle) {
    const isRunning = workspace !== null && (await store.currentPolicy(workspace)) !== null;
    if (!isRunning) throw new FolderUnusable(`the policy folder \`${folder}\` has errors`, bundle.faults);
    const said = 'the policy folder is refused and the running policies stay active; fix it and start again';
    log.error({ folder, faults: bundle.faults }, said);
    return;
  }
  if (workspace !== null) await apply(parts, folder, confirmed, bundle, workspace);
  else void applyLater(parts, folder, confirmed, bundle, stopped);
}

interface Bundle {
  readonly digest: string;
  readonly text: string;
}

async function readBundle(
  { jobs }: FolderParts,
  folder: string,
): Promise<Bundle | { readonly faults: readonly string[] }> {
  const reading = await readPolicyFolder(folder);
  if (reading.kind !== 'files') return { faults: [reading.message] };
  const examined = await jobs.examine({ kind: 'yaml', files: reading.files }, '');
  if (examined.kind === 'good') return examined;
  if (examined.kind === 'invalid') return { faults: examined.details.map(describeDetail) };
  throw new Error('too many bundles are being checked at the start');
}

async function apply(
  parts: FolderParts,
  folder: string,
  confirmed: string | null,
  { digest, text }: Bundle,
  workspace: string,
): Promise<void> {
  const outcome = await applyPolicy(
    parts,
    { kind: 'stored', text },
    {
      workspace,
      by: { kind: 'operator', id: 'policy_folder' },
      ifMatch: null,
      isLooseningConfirmed: digest === confirmed,
      nowMs: parts.clock(),
    },
  );
  if (outcome.kind === 'applied') {
    const { revision, warnings } = outcome;
    for (const warning of warnings) parts.log.warn({ folder, workspace }, warning);
    parts.log.info({ folder, workspace, revision, digest }, 'the policies of the folder are active');
    return;
  }
  const { code, message, details = [] } = outcome;
  const fix =
    code === 'loosening_unconfirmed'
      ? `it may loosen; to confirm that, start with WRITECHECK_CONFIRM_LOOSENING=${digest}`
      : message;
  const faults = details.map(describeDetail);
  parts.log.error(
    { folder, code, digest, faults },
    `the policy folder is refused and the running policies stay active: ${fix}`,
  );
}

/** The first workspace is made a moment after the service listens, or by whoever signs up. */
async function applyLater(
  parts: FolderParts,
  folder: string,
  confirmed: string | null,
  bundle: Bundle,
  stopped: AbortSignal,
): Promise<void> {
  while (!stopped.aborted) {
    try {
      const workspace = await firstWorkspace(parts.store);
      if (workspace !== null) return await apply(parts, folder, confirmed, bundle, workspace);
    } catch (error) {
      parts.log.error({ folder, error: String(error) }, 'the policy folder could not be applied yet');
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
  }
}

/** INVARIANT: its policies are never those of another workspace. */
async function firstWorkspace(store: Pick<Store, 'firstWorkspace'>): Promise<string | null> {
  const first = await store.firstWorkspace();
  return first === null || first.state === 'deleted' ? null : first.id;
}
