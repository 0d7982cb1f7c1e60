/** Signs the log's actual state, and only that: checkpoints, and receipts under them. */
import {
  buildReceipt,
  checkpointText,
  Frontier,
  leafHash,
  type Receipt,
  verifyConsistency,
  verifyInclusion,
} from '@writecheck/ledger/log';
import { FORKED, type ForkAlarm } from '@writecheck/store/append-guard';
import {
  type LoggedEntry,
  type LogHead,
  type LogKeeping,
  type Store,
  type StoredCheckpoint,
  StoreUnavailable,
} from '@writecheck/store/port';
import { sha256 } from '@writecheck/store/sha256';
import { consistencyOf, inclusionOf, rootAt } from './log-hashes.ts';
import type { LogSigner } from './log-signer.ts';

export type NotaryStore = LogKeeping &
  Pick<Store, 'log' | 'logs' | 'newestCheckpoint' | 'keepCheckpoint' | 'verifierKeys'>;

/** A size of a log and the root it is known to have had. */
export interface TrustedSize {
  readonly size: number;
  readonly root: Uint8Array;
}

const EMPTY: TrustedSize = { size: 0, root: new Uint8Array() };

/** How often a call lets a faster one go first. */
const TRIES_MAX = 100;

interface SignedSize {
  readonly log: string;
  readonly size: number;
  readonly note: string;
}

export class LogNotary {
  readonly #store: NotaryStore;
  readonly #signer: LogSigner;
  readonly #trusted: Map<string, TrustedSize>;
  readonly #isRestoring: boolean;
  readonly #alarm: ForkAlarm;
  readonly #signing = new Map<string, Promise<StoredCheckpoint>>();
  #last: SignedSize = { log: '', size: -1, note: '' };

  /**
   * `trusted` holds, by log, the sizes that the check at the start found to be signed. Only a restore signs a log that
   * has lost entries, to end it on record. The alarm is the one that stops every thread of the process.
   */
  constructor(
    store: NotaryStore,
    signer: LogSigner,
    trusted: ReadonlyMap<string, TrustedSize>,
    isRestoring: boolean,
    alarm: ForkAlarm,
  ) {
    this.#store = store;
    this.#isRestoring = isRestoring;
    this.#alarm = alarm;
    this.#signer = signer;
    this.#trusted = new Map(trusted);
  }

  /** Every key needed to verify anything ever signed here; the current signing key comes first. */
  async verifierKeys(): Promise<readonly string[]> {
    const published = await this.#store.verifierKeys();
    return [this.#signer.line, ...published.filter((line) => line !== this.#signer.line)];
  }

  /** The checkpoint of the log as it is now, kept as its newest; null if there is no such log. */
  async newest(log: string, triesLeft = TRIES_MAX): Promise<StoredCheckpoint | null> {
    const head = (await this.#store.logs()).find((each) => each.log === log);
    if (head === undefined) return null;
    const kept = await this.#store.newestCheckpoint(log);
    if (!this.#isRestoring && (await this.#store.lostEntries()).length > 0)
      throw this.#fork('a process knew entries that the database lacks');
    if (kept !== null && kept.size === head.size) {
      // Another process may have signed it.
      if (this.#sizeOf(log) < head.size) await this.#followHead(head);
      return kept;
    }
    const running = this.#signing.get(log);
    const isBehind = !this.#isRestoring && kept !== null && kept.size > head.size;
    if (running !== undefined || isBehind || this.#sizeOf(log) > head.size) {
      // Another call was faster: it may have seen more than we did, or less.
      await running?.catch(() => undefined);
      // INVARIANT: a log that stays smaller than what was signed of it has lost entries.
      if (triesLeft === 0) throw this.#fork(`the log \`${log}\` is smaller than what was signed of it`);
      return this.newest(log, triesLeft - 1);
    }
    const mine = this.#extend(head);
    this.#signing.set(log, mine);
    try {
      return await mine;
    } finally {
      this.#signing.delete(log);
    }
  }

  /**
   * The receipt of an entry, always the same bytes: under the tree as the entry's own commit left it.
   * INVARIANT: that tree is signed again only after it is proven to be a prefix of a signed one, so a rewritten
   * stored log gets no signature.
   */
  async receiptFor({ log, leafIndex, treeSize, leaf }: LoggedEntry): Promise<Receipt> {
    if (this.#sizeOf(log) < treeSize) await this.newest(log);
    const root = await rootAt(this.#store, log, treeSize);
    const proof = await inclusionOf(this.#store, log, leafIndex, treeSize);
    const claim = { leafHash: leafHash(leaf, sha256), index: leafIndex, size: treeSize, proof, root };
    if (!verifyInclusion(claim, sha256) || !(await this.#isBeginning(log, { size: treeSize, root }))) {
      throw new Error(`entry ${leafIndex} of \`${log}\` is not the one that was signed`);
    }
    const checkpoint = this.#signed(log, treeSize, root).note;
    return buildReceipt({ leaf, index: leafIndex, treeSize, proof, checkpoint });
  }

  async #extend(head: LogHead): Promise<StoredCheckpoint> {
    const { log, size, frontier } = head;
    const root = await this.#followHead(head);
    const checkpoint = { log, size, note: this.#signed(log, size, root).note, frontier };
    await this.#store.keepCheckpoint(checkpoint);
    return checkpoint;
  }

  async #followHead({ log, size, frontier }: LogHead): Promise<Uint8Array> {
    const root = Frontier.fromBytes(frontier, sha256)?.root();
    if (root === undefined) throw new Error(`the frontier of \`${log}\` cannot be read`);
    await this.#confirm(log, { size, root });
    return root;
  }

  /** INVARIANT: only what extends the previously signed tree is signed, or trusted as signed. */
  async #confirm(log: string, tree: TrustedSize): Promise<void> {
    for (;;) {
      const trusted = this.#trusted.get(log) ?? EMPTY;
      const [older, newer] = trusted.size < tree.size ? [trusted, tree] : [tree, trusted];
      if (older.size > 0 && !(await this.#extends(log, older, newer))) {
        const what = `the ${newer.size} entries of \`${log}\` do not begin with the ${older.size} that were signed`;
        throw this.#fork(what);
      }
      if (newer === trusted) return;
      // A tree trusted in the meantime extends the same older tree, but it may still be a different history.
      if ((this.#trusted.get(log) ?? EMPTY) !== trusted) continue;
      this.#trusted.set(log, tree);
      return;
    }
  }

  async #extends(log: string, older: TrustedSize, newer: TrustedSize): Promise<boolean> {
    const proof = await consistencyOf(this.#store, log, older.size, newer.size);
    const claim = { from: older.size, to: newer.size, fromRoot: older.root, toRoot: newer.root, proof };
    return verifyConsistency(claim, sha256);
  }

  #fork(what: string): StoreUnavailable {
    this.#alarm.raise();
    return new StoreUnavailable('lost', FORKED, new Error(what));
  }

  #sizeOf(log: string): number {
    return this.#trusted.get(log)?.size ?? 0;
  }

  async #isBeginning(log: string, { size, root }: TrustedSize): Promise<boolean> {
    const newer = this.#trusted.get(log);
    if (newer === undefined || newer.size < size) return false;
    return this.#extends(log, { size, root }, newer);
  }

  /** One signature serves every receipt of a commit. */
  #signed(log: string, size: number, root: Uint8Array): SignedSize {
    if (this.#last.size !== size || this.#last.log !== log) {
      const note = this.#signer.note(checkpointText({ log, size, root }));
      this.#last = { log, size, note };
    }
    return this.#last;
  }
}
