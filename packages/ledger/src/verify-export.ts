/**
 * Verifies an export offline, line by line and in constant memory, with a public key and nothing from the service:
 * every entry is in its place under a signed checkpoint, every record is the one its leaf names, every bundle the one
 * decisions were made under. `export-line.ts` describes the lines.
 */
import { canonicalJson, decodeBase64 } from '@writecheck/contract';
import { checkEntry } from './check-entry.ts';
import { type Entry, parseEntry } from './entry.ts';
import {
  type ExportBundle,
  type ExportEntry,
  type ExportHash,
  type ExportHeader,
  type ExportTrailer,
  parseExportLine,
} from './export-line.ts';
import {
  type ExportCounts,
  type ExportFault,
  type ExportVerdict,
  faulty,
  OTHER_KINDS_MAX,
  verified,
} from './export-verdict.ts';
import { ExportedLogs, type Problem } from './exported-logs.ts';
import { leafHash } from './merkle-hash.ts';
import { RecentRedemptions } from './recent-redemptions.ts';
import { ReviewOrder } from './review-order.ts';
import { digestOf, type Sha256, sha256 } from './sha256.ts';
import { SignedVerdicts } from './signed-verdicts.ts';
import { parseVerifierKeys } from './verifier-key.ts';

export interface ExportVerifierOptions {
  /** Verifier key lines, obtained separately from the export, including rotated keys. */
  readonly keys: readonly string[] | string;
  /**
   * Signed checkpoints kept from earlier: only these can show that a log was rolled back or forked as a whole.
   * An export may begin at one of them; earlier entries are then trusted, not verified.
   */
  readonly knownCheckpoints?: readonly string[];
  /**
   * Logs whose continuation on record the caller accepts: entries known to be missing from the continued log
   * are then a loss in the verdict, not an error.
   */
  readonly continued?: readonly string[];
  /** If given, the export must belong to this workspace. */
  readonly workspace?: string;
  readonly sha256?: Sha256;
}

export class ExportVerifier {
  readonly #options: ExportVerifierOptions;
  readonly #hash: Sha256;
  readonly #logs: ExportedLogs;
  readonly #bundles = new Set<string>();
  readonly #redeemed = new RecentRedemptions();
  readonly #reviews = new ReviewOrder();
  readonly #signed: SignedVerdicts<{ readonly log: string; readonly index: number; readonly line: number }>;
  readonly #kinds = new Map<Entry['kind'], number>();
  /** INVARIANT: bounded, because the author of the file chose the names. */
  readonly #otherKinds = new Set<string>();
  readonly #counts = { hashes: 0, bundles: 0, lines: 0 };
  #workspace: string | null = null;
  #isClosed = false;
  #fault: ExportFault | null = null;

  constructor(options: ExportVerifierOptions) {
    this.#options = options;
    this.#hash = options.sha256 ?? sha256;
    this.#signed = new SignedVerdicts(this.#hash);
    const keys = parseVerifierKeys(options.keys);
    this.#logs = new ExportedLogs(options, keys ?? [], this.#hash);
    if (keys === null) {
      const message = 'the keys are not all verifier key lines, or there is none';
      this.#fault = { code: 'invalid_argument', message, line: 0 };
    }
  }

  /** The first error, as soon as it is known: the reader of the file may stop there. */
  get fault(): ExportFault | null {
    return this.#fault;
  }

  /** Pass lines in order, without their newlines, and await each call before the next. */
  async push(text: string): Promise<void> {
    if (this.#fault !== null) return;
    const line = this.#counts.lines + 1;
    const problem = await this.#take(text);
    this.#counts.lines = line;
    if (problem !== null) this.#fault = { line, ...problem };
  }

  finish(): ExportVerdict {
    if (this.#fault !== null) return faulty(this.#fault);
    if (this.#workspace === null || !this.#isClosed) {
      const message = 'the export ends before its trailer: the file is truncated';
      return faulty({ code: 'incomplete', message, line: this.#counts.lines });
    }
    return verified(
      this.#workspace,
      this.#logs.ends,
      this.#allCounts(),
      this.#signed.passkeys(),
      this.#logs.losses,
      {
        entries: this.#logs.skipped,
        verdicts: this.#signed.unchecked,
        checkpoints: this.#logs.olderKnown,
      },
    );
  }

  #allCounts(): ExportCounts {
    const of = (kind: Entry['kind']): number => this.#kinds.get(kind) ?? 0;
    return {
      decisions: of('decision'),
      redemptions: of('redemption'),
      continuations: of('continuation'),
      reviewEntries: of('review'),
      personEntries: of('person'),
      otherEntries: of('other'),
      otherKinds: [...this.#otherKinds],
      kinds: Object.fromEntries([...this.#kinds].filter(([kind]) => kind !== 'other')),
      hashes: this.#counts.hashes,
      bundles: this.#counts.bundles,
      lines: this.#counts.lines,
    };
  }

  async #take(text: string): Promise<Problem | null> {
    const line = parseExportLine(text);
    if (line === null) return { code: 'malformed_line', message: 'not a line of writecheck.export.v1' };
    const isFirst = this.#counts.lines === 0;
    if (isFirst !== (line.kind === 'header') || this.#isClosed) {
      return { code: 'unexpected_line', message: `a ${line.kind} line does not belong here` };
    }
    switch (line.kind) {
      case 'header':
        return this.#takeHeader(line);
      case 'entry':
        return this.#takeEntry(line);
      case 'hash':
        return this.#takeHash(line);
      case 'bundle':
        return this.#takeBundle(line);
      case 'checkpoint':
        return this.#logs.checkHere(line.log, line.checkpoint);
      case 'trailer':
        return this.#takeTrailer(line);
    }
  }

  async #takeHeader(header: ExportHeader): Promise<Problem | null> {
    const { workspace } = this.#options;
    if (workspace !== undefined && workspace !== header.workspace) {
      const message = `the export is of workspace \`${header.workspace}\`, not \`${workspace}\``;
      return { code: 'other_workspace', message };
    }
    this.#workspace = header.workspace;
    // An export without a log has no signature to check: anybody could claim that nothing is there.
    if (header.logs.length === 0) return { code: 'malformed_line', message: 'the export names no log' };
    return this.#logs.start(header.logs);
  }

  async #takeEntry({ log, index, leaf, record }: ExportEntry): Promise<Problem | null> {
    const state = this.#logs.get(log);
    if ('code' in state) return state;
    const bytes = decodeBase64(leaf);
    const entry = bytes === null ? null : parseEntry(bytes);
    if (bytes === null || entry === null) {
      return { code: 'malformed_leaf', message: 'the leaf is not an entry in its exact form', log, index };
    }
    const problem = checkEntry(entry, record, {
      log,
      index,
      workspace: this.#workspace!,
      continues: state.continues,
      bundles: this.#bundles,
      hash: this.#hash,
    });
    if (problem !== null) return { ...problem, log, index };
    const fault = state.replay.append(index, leafHash(bytes, this.#hash));
    if (fault !== null) return { ...fault, log };
    this.#kinds.set(entry.kind, (this.#kinds.get(entry.kind) ?? 0) + 1);
    if (entry.kind === 'other' && this.#otherKinds.size < OTHER_KINDS_MAX) this.#otherKinds.add(entry.name);
    if (entry.kind === 'person') this.#signed.addPerson(entry);
    if (entry.kind === 'review') {
      const outOfOrder = this.#reviews.add(entry);
      if (outOfOrder !== null) return { code: 'review_order', message: outOfOrder, log, index };
      if (entry.event !== 'verdict') return null;
      const place = { log, index, line: this.#counts.lines + 1 };
      const forged = await this.#signed.addVerdict(entry, place);
      return forged === null ? null : { code: 'assertion_invalid', message: forged, ...place };
    }
    if (entry.kind !== 'redemption' || this.#redeemed.add(entry)) return null;
    const message = `decision \`${entry.decision_id}\` was already redeemed, and an allow is valid for one write`;
    return { code: 'redeemed_twice', message, log, index };
  }

  #takeHash({ log, index, hash }: ExportHash): Problem | null {
    const state = this.#logs.get(log);
    if ('code' in state) return state;
    if (index === 0 && state.continues !== undefined) {
      const message = 'the first entry of a log that continues another must be shown';
      return { code: 'bad_continuation', message, log, index };
    }
    const fault = state.replay.append(index, decodeBase64(hash)!);
    if (fault !== null) return { ...fault, log };
    this.#counts.hashes += 1;
    return null;
  }

  #takeBundle({ digest, documents }: ExportBundle): Problem | null {
    if (this.#bundles.has(digest)) {
      return { code: 'unexpected_line', message: `bundle \`${digest}\` appears twice` };
    }
    let actual: string | null = null;
    try {
      actual = digestOf(new TextEncoder().encode(canonicalJson(documents)), this.#hash);
    } catch {
      // A value without a canonical form, such as a lone surrogate, has no digest.
    }
    if (actual !== digest) {
      return { code: 'bundle_mismatch', message: `the documents are not those of bundle \`${digest}\`` };
    }
    this.#bundles.add(digest);
    this.#counts.bundles += 1;
    return null;
  }

  async #takeTrailer({ lines }: ExportTrailer): Promise<Problem | null> {
    const fault = this.#logs.finish();
    if (fault !== null) return fault;
    if (lines !== this.#counts.lines) {
      const message = `the trailer counts ${lines} lines, there are ${this.#counts.lines} before it`;
      return { code: 'incomplete', message };
    }
    const forged = await this.#signed.finish(this.#logs.skipped === 0);
    if (forged !== null) return { code: 'assertion_invalid', message: forged.message, ...forged.place };
    this.#isClosed = true;
    return null;
  }
}

/** Verifies a whole export in memory; use `ExportVerifier` for a large one. */
export async function verifyExport(
  lines: Iterable<string> | AsyncIterable<string>,
  options: ExportVerifierOptions,
): Promise<ExportVerdict> {
  const verifier = new ExportVerifier(options);
  for await (const line of lines) {
    await verifier.push(line);
    if (verifier.fault !== null) break;
  }
  return verifier.finish();
}
