/** Reads from the store what a check is decided on, unless it is in memory and current. */
import type { AttestationChecks, PolicySnapshot } from '@writecheck/engine/deciding';
import type { Store } from '@writecheck/store/port';
import type { FreezeBook, KnownFreezes } from '../features/freezes/freeze-book.ts';
import { keysBehind } from '../features/keys/key-lineage.ts';
import type { PolicyBook } from '../features/policies/policy-book.ts';
import { type FoundApprovals, findApprovals } from '../features/reviews/look-up-facts.ts';
import type { ParsedRequest } from './parse-request.ts';
import { verifiedFacts } from './verified-facts.ts';

export interface BasisParts {
  readonly store: Store;
  readonly freezes: Pick<FreezeBook, 'inMemory' | 'readAgain'>;
  readonly policies: Pick<PolicyBook, 'inMemory' | 'snapshotOf' | 'snapshotOfRunning'>;
}

export interface Basis {
  readonly freezes: KnownFreezes;
  /** The ids by which a freeze may name the caller. */
  readonly keyIds: readonly string[];
  readonly approvals: FoundApprovals | null;
  readonly snapshot: PolicySnapshot;
  /** One per evidence item; empty if there is nothing to verify. */
  readonly facts: readonly AttestationChecks[];
}

/** `running` is the digest of the running bundle, if a commit has just reported that the bundle changed. */
export async function readBasis(
  { store, freezes: book, policies }: BasisParts,
  parsed: ParsedRequest,
  isFirstTry: boolean,
  running: string | null | undefined,
): Promise<Basis> {
  const { key, context } = parsed;
  const { workspace } = key;
  const freezes = (isFirstTry ? book.inMemory(workspace) : undefined) ?? (await book.readAgain(workspace));
  const keyIds = freezes.namesKeys ? await keysBehind(store, key) : [key.id];
  const approvals = await findApprovals(store, workspace, key, parsed.intent);
  // INVARIANT: an approval counts only under the running review rule, so a cached policy is not enough for it.
  const digest = approvals?.runningDigest === undefined ? running : approvals.runningDigest;
  const snapshot = await (digest === undefined
    ? policies.snapshotOf(workspace)
    : policies.snapshotOfRunning(workspace, digest));
  const facts = await verifiedFacts(store, parsed, key, snapshot, approvals, context.nowMs);
  return { freezes, keyIds, approvals, snapshot, facts };
}
