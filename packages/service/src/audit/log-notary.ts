/** Signs what the log has become, and only that: checkpoints, and receipts under them. */
import { jsonInReceipt } from '@writecheck/contract';
import {
  buildReceipt,
  checkpointText,
  Frontier,
  leafHash,
  RECEIPT_VERSION,
  type Receipt,
  verifyConsistency,
  verifyInclusion,
} from '@writecheck/ledger';
import { sha256 } from '../sha256.ts';
import type {
  Committed,
  Decisions,
  Inclusion,
  LoggedRecord,
  LogHead,
  LogKeeping,
  StoredCheckpoint,
} from '../store/port.ts';
import { consistencyOf, inclusionOf, rootAt } from './log-hashes.ts';
import type { LogSigner } from './log-signer.ts';

export type NotaryStore = Pick<Decisions, 'log' | 'logs'> & LogKeeping;

/** A size of a log and the root it is known to have had. */
export interface TrustedSize {
  readonly size: number;
  readonly root: Uint8Array;
}

const EMPTY: TrustedSize = { size: 0, root: new Uint8Array() };

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** How often a call lets a faster one go first. */
const TRIES_MAX = 100;

interface SignedSize {
  readonly log: string;
  readonly size: number;
  readonly note: string;
  /** As it stands in JSON. */
  readonly noteText: string;
}

export class LogNotary {
  readonly #store: NotaryStore;
  readonly #signer: LogSigner;
  readonly #trusted: Map<string, TrustedSize>;
  readonly #signing = new Map<string, Promise<StoredCheckpoint>>();
  #isForked = false;
  #last: SignedSize = { log: '', size: -1, note: '', noteText: '' };

  /** `trusted` are the sizes that the check at the start has found to be signed, by log. */
  constructor(store: NotaryStore, signer: LogSigner, trusted: ReadonlyMap<string, TrustedSize>) {
    this.#store = store;
    this.#signer = signer;
    this.#trusted = new Map(trusted);
  }

  /** Whether a log was found that is not the one that was signed: then this process must not be relied on. */
  get isForked(): boolean {
    return this.#isForked;
  }

  /** Every key anybody may need to verify what was ever signed here, the one that signs now first. */
  async verifierKeys(): Promise<readonly string[]> {
    const published = await this.#store.verifierKeys();
    return [this.#signer.line, ...published.filter((line) => line !== this.#signer.line)];
  }

  /** The checkpoint of the log as it is now, kept as its newest; null where there is no such log. */
  async newest(log: string, triesLeft = TRIES_MAX): Promise<StoredCheckpoint | null> {
    const head = (await this.#store.logs()).find((each) => each.log === log);
    if (head === undefined) return null;
    const kept = await this.#store.newestCheckpoint(log);
    if (kept !== null && kept.size >= head.size) {
      // Another process may have signed it.
      if (this.#sizeOf(log) < head.size) await this.#followHead(head);
      return kept;
    }
    const running = this.#signing.get(log);
    if (running !== undefined || this.#sizeOf(log) > head.size) {
      // Another call was faster: what it saw may be more than we did, or less.
      await running?.catch(() => undefined);
      if (triesLeft === 0) throw new Error(`the log \`${log}\` is smaller than what was signed of it`);
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
   * The text of a receipt for a decision of this process, straight from its commit. At once where the commit added
   * to exactly the tree that is trusted; else the stored log has to show that it extends that one.
   */
  receiptTextOf({ log, leafIndex, inclusion }: Committed): string | Promise<string> {
    if (inclusion === undefined) throw new Error('a decision without a proof cannot have a receipt');
    if (this.#grew(log, inclusion)) return this.#receiptText(log, leafIndex, inclusion);
    return this.#confirm(log, { size: inclusion.treeSize, root: inclusion.root }).then(() =>
      this.#receiptText(log, leafIndex, inclusion),
    );
  }

  #receiptText(log: string, leafIndex: number, { leaf, treeSize, root, proof }: Inclusion): string {
    const { noteText } = this.#signed(log, treeSize, root);
    // INVARIANT: what `jsonInReceipt` makes of the receipt; base64 needs no escapes.
    return (
      `{"version":"${RECEIPT_VERSION}","leaf":"${leaf}","index":${leafIndex},"treeSize":${treeSize}` +
      `,"proof":[${proof}],"checkpoint":${noteText}}`
    );
  }

  /**
   * The same receipt later, to the byte: under the tree as the decision's own commit left it.
   * INVARIANT: that tree is signed again only after it is proven to be the beginning of one that is signed, so
   * whoever rewrites the stored log gets no signature for it.
   */
  async receiptFor({ log, leafIndex, treeSize, leaf }: LoggedRecord): Promise<Receipt> {
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

  /** Whether a commit of this process added to exactly what is trusted; then what it made is trusted too. */
  #grew(log: string, { before, treeSize, root }: Inclusion): boolean {
    const trusted = this.#trusted.get(log) ?? EMPTY;
    // Another receipt of the same commit.
    if (trusted.size === treeSize) return isSame(trusted.root, root);
    if (trusted.size !== before.size || (before.size > 0 && !isSame(trusted.root, before.root))) return false;
    this.#trusted.set(log, { size: treeSize, root });
    return true;
  }

  /** INVARIANT: nothing is signed, or believed to be, that does not extend what was signed before. */
  async #confirm(log: string, tree: TrustedSize): Promise<void> {
    for (;;) {
      const trusted = this.#trusted.get(log) ?? EMPTY;
      const [older, newer] = trusted.size < tree.size ? [trusted, tree] : [tree, trusted];
      if (older.size > 0 && !(await this.#extends(log, older, newer))) {
        this.#isForked = true;
        throw new Error(
          `the ${newer.size} entries of \`${log}\` do not begin with the ${older.size} that were signed`,
        );
      }
      if (newer === trusted) return;
      // What was trusted meanwhile extends the same older tree, but that does not make it one history with this one.
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
      this.#last = { log, size, note, noteText: jsonInReceipt(note) };
    }
    return this.#last;
  }
}
