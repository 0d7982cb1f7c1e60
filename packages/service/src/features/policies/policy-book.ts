/** The compiled bundle of each workspace, cached in memory until the store reports a change. */
import { setImmediate } from 'node:timers/promises';
import {
  compile,
  EMPTY_SNAPSHOT,
  type PolicyDocument,
  type PolicySnapshot,
  snapshotSteps,
} from '@writecheck/engine/deciding';
import { type Change, type Store, type StoredPolicy, StoreUnavailable } from '@writecheck/store/port';
import { SharedReads } from '../../support/shared-reads.ts';
import type { PolicyJobs } from './policy-jobs.ts';
import { storedDocuments } from './stored-documents.ts';

/** Compiled bundles are a few times the size of their text. */
const CACHED_CHARACTERS_MAX = 16 * 1024 * 1024;
const ENTRY_CHARACTERS = 500;
/** Up to this size a bundle compiles in a few milliseconds; larger ones go through the policy thread. */
const SMALL_CHARACTERS = 8 * 1024;
/** How long building a large bundle may delay other work at a time. */
const SLICE_MS = 1;

interface Entry {
  /** 0 if the workspace has no policies. */
  readonly revision: number;
  readonly snapshot: PolicySnapshot;
  readonly characters: number;
}

export class PolicyBook {
  readonly #store: Pick<Store, 'currentPolicy'>;
  readonly #jobs: Pick<PolicyJobs, 'load'>;
  readonly #entries = new SharedReads<Entry>(
    (workspace) => this.#read(workspace),
    CACHED_CHARACTERS_MAX,
    ({ characters }) => characters,
  );

  constructor(store: Pick<Store, 'currentPolicy'>, jobs: Pick<PolicyJobs, 'load'>) {
    this.#store = store;
    this.#jobs = jobs;
  }

  inMemory(workspace: string): PolicySnapshot | undefined {
    return this.#entries.inMemory(workspace)?.snapshot;
  }

  /** The running policy of a workspace. */
  async snapshotOf(workspace: string): Promise<PolicySnapshot> {
    return this.inMemory(workspace) ?? (await this.#entries.readAgain(workspace)).snapshot;
  }

  /**
   * Loads again unless the one in memory has this digest, which the store says is running: another process may
   * have just applied it.
   */
  async snapshotOfRunning(workspace: string, digest: string | null): Promise<PolicySnapshot> {
    const known = await this.snapshotOf(workspace);
    if (known.digest === digest) return known;
    this.forget(workspace);
    return this.snapshotOf(workspace);
  }

  /** Lists the revisions of the workspaces in memory. */
  *revisions(): Generator<readonly [workspace: string, revision: number]> {
    for (const [workspace, { revision }] of this.#entries.allInMemory()) yield [workspace, revision];
  }

  follow(change: Change): void {
    if (change.kind === 'policy') this.forget(change.workspace);
    else if (change.kind === 'everything') this.#entries.forgetAll();
  }

  forget(workspace: string): void {
    this.#entries.forget(workspace);
  }

  async #read(workspace: string): Promise<Entry> {
    const stored = await this.#store.currentPolicy(workspace);
    if (stored === null) return { revision: 0, snapshot: EMPTY_SNAPSHOT, characters: ENTRY_CHARACTERS };
    const snapshot =
      stored.documents.length <= SMALL_CHARACTERS ? compileSmall(stored) : await this.#buildLarge(stored);
    // Deciding by anything other than the running bundle could allow what it forbids.
    if (snapshot === null) {
      throw new StoreUnavailable(
        'corrupt',
        `policy revision ${stored.revision} of ${workspace} does not compile to the digest it was applied with; apply the bundle again or restore the store`,
      );
    }
    return { revision: stored.revision, snapshot, characters: ENTRY_CHARACTERS + stored.documents.length };
  }

  /**
   * The policy thread checks it as a whole; it is then built here between other work, because closures cannot be sent.
   */
  async #buildLarge({ workspace, documents, digest }: StoredPolicy): Promise<PolicySnapshot | null> {
    // Both reading it and handing it over take time.
    await setImmediate();
    const pieces = await this.#jobs.load(documents, digest, workspace);
    if (pieces === null) return null;
    const parsed: PolicyDocument[] = [];
    for (const piece of pieces) {
      // INVARIANT: a piece is text from our own thread, of documents that compiled.
      for (const document of storedDocuments(piece)!) parsed.push(document);
      await setImmediate();
    }
    const steps = snapshotSteps(parsed, digest);
    let sliceStartedMs = performance.now();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (performance.now() - sliceStartedMs < SLICE_MS) continue;
      await setImmediate();
      sliceStartedMs = performance.now();
    }
  }
}

function compileSmall({ documents, digest }: StoredPolicy): PolicySnapshot | null {
  const compiled = compile(storedDocuments(documents) ?? [null]);
  return compiled.kind === 'snapshot' && compiled.digest === digest ? compiled.snapshot : null;
}
