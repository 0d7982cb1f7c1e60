/** Keeps the first workspace's bundle in step with a watched folder, and logs an error when it cannot. */
import type { Store } from '@writecheck/store/port';
import type { Refusal } from '../../exchange/refusal.ts';
import { errorFields } from '../../support/observability/described-error.ts';
import { applyPolicy, type PolicyParts } from './apply-policy.ts';
import { describeDetail } from './describe-detail.ts';
import { FolderUnusable } from './folder-unusable.ts';
import { type FolderReading, folderSignature, readPolicyFolder } from './read-policy-folder.ts';

interface FolderLog {
  readonly info: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}

const LOOK_EVERY_MS = 250;
/** Long enough for an author to finish saving several files, or one file in several steps. */
const QUIET_MS = 1_000;

export class PolicyFolder {
  readonly #path: string;
  readonly #store: Pick<Store, 'firstWorkspace' | 'currentPolicy'>;
  readonly #parts: PolicyParts;
  readonly #log: FolderLog;
  readonly #clock: () => number;
  /** The signature of the folder state that was handled last, whatever the result. */
  #handled: string | null = null;
  #seen: { readonly signature: string; readonly sinceMs: number } | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isRefused = false;
  /** The error of the last poll; an outage is logged once, not with every poll. */
  #failure: string | null = null;

  constructor(
    path: string,
    store: Pick<Store, 'firstWorkspace' | 'currentPolicy'>,
    parts: PolicyParts,
    log: FolderLog,
    clock: () => number,
  ) {
    this.#path = path;
    this.#store = store;
    this.#parts = parts;
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * Loads the folder as it is, before any decision. Rejects with `FolderUnusable` if it cannot be used and no bundle
   * runs, because an operator who names a folder expects it to decide.
   */
  async start(): Promise<void> {
    const signature = await folderSignature(this.#path);
    const reading = await readPolicyFolder(this.#path);
    const workspace = await this.#workspace();
    const isRunning = workspace !== null && (await this.#store.currentPolicy(workspace)) !== null;
    if (!isRunning) await this.#insist(reading);
    if (workspace !== null) {
      await this.#take(reading, workspace);
      this.#handled = signature;
    }
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#looking;
  }

  /** Whether the folder, as last read, is not the running bundle. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  async #insist(reading: FolderReading): Promise<void> {
    const where = `the policy folder \`${this.#path}\``;
    // Somebody is about to fill it; until then there is no rule to miss.
    if (reading.kind === 'empty') return;
    if (reading.kind === 'unreadable') throw new FolderUnusable(`${where} cannot be used`, [reading.message]);
    const examined = await this.#parts.jobs.examine({ kind: 'yaml', files: reading.files }, '');
    if (examined.kind !== 'invalid') return;
    throw new FolderUnusable(`${where} has errors`, examined.details.map(describeDetail));
  }

  async #look(): Promise<void> {
    if (this.#isStopped) return;
    try {
      const signature = await folderSignature(this.#path);
      const nowMs = performance.now();
      if (this.#seen?.signature !== signature) this.#seen = { signature, sinceMs: nowMs };
      if (signature === this.#handled || nowMs - this.#seen.sinceMs < QUIET_MS) return;
      const workspace = await this.#workspace();
      if (workspace === null || this.#isStopped) return;
      const reading = await readPolicyFolder(this.#path);
      // A file that changed during the read means that the folder is not quiet after all.
      if ((await folderSignature(this.#path)) !== signature) return;
      await this.#take(reading, workspace);
      this.#handled = signature;
      this.#failure = null;
    } catch (error) {
      // The store may be unreachable, for example. The next poll tries again.
      if (this.#failure === String(error)) return;
      this.#failure = String(error);
      this.#log.error({ folder: this.#path, ...errorFields(error) }, 'the policy folder could not be loaded');
    }
  }

  async #take(reading: FolderReading, workspace: string): Promise<void> {
    const folder = this.#path;
    if (reading.kind !== 'files') {
      this.#isRefused = true;
      this.#log.error(
        { folder, why: reading.message },
        'the policy folder is refused; the earlier policies stay active',
      );
      return;
    }
    const source = { kind: 'yaml', files: reading.files } as const;
    const outcome = await applyPolicy(this.#parts, source, {
      workspace,
      by: { kind: 'operator', id: 'policy_folder' },
      ifMatch: null,
      isLooseningConfirmed: false,
      nowMs: this.#clock(),
      isFromFolder: true,
    });
    if (outcome.kind === 'refused' && outcome.code === 'overloaded') throw new Error(outcome.message);
    this.#isRefused = outcome.kind === 'refused';
    if (outcome.kind === 'refused') await this.#tellRefusal(outcome, workspace);
    else {
      const { revision, digest, warnings } = outcome;
      for (const warning of warnings) this.#log.warn({ folder, workspace }, warning);
      this.#log.info({ folder, workspace, revision, digest }, 'the policies of the folder are active');
    }
  }

  async #tellRefusal({ code, details = [] }: Refusal, workspace: string): Promise<void> {
    const isRunning = (await this.#store.currentPolicy(workspace)) !== null;
    const active = isRunning ? 'the running policies stay active' : 'no policies are active yet';
    const fix =
      code === 'loosening_unconfirmed'
        ? 'it may loosen: confirm it by applying the same bundle over the API, as `writecheck policy apply` does'
        : 'fix it and save';
    for (const detail of details)
      this.#log.error({ folder: this.#path, code, ...detail }, describeDetail(detail));
    this.#log.error({ folder: this.#path, code }, `the policy folder is refused and ${active}; ${fix}`);
  }

  async #workspace(): Promise<string | null> {
    const first = await this.#store.firstWorkspace();
    // INVARIANT: its policies are never those of another workspace.
    return first === null || first.state === 'deleted' ? null : first.id;
  }
}
