/** Builds whole logs for tests, with records, checkpoints, receipts and exports, as the service would. */
import { hash } from 'node:crypto';
import {
  buildReceipt,
  checkpointText,
  digestOf,
  type ExportLine,
  exportLine,
  Frontier,
  type Leaf,
  leafBytes,
  leafHash,
  type Receipt,
} from '../src/index.ts';
import { inclusionProof } from './proofs.ts';
import { SIGNER, type TestSigner } from './test-signer.ts';

export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

export const WORKSPACE = 'ws_01970000000070008000000000000001';
export const OTHER_WORKSPACE = 'ws_01970000000070008000000000000002';
export const DOCUMENTS = [{ kind: 'Defaults', writePolicy: 'enforce' }];
export const BUNDLE_DIGEST = digestOf(Buffer.from(JSON.stringify(DOCUMENTS)));
const T0 = Date.parse('2026-11-15T04:00:00.000Z');

export interface TestEntry {
  readonly bytes: Uint8Array;
  readonly record?: Uint8Array;
  /** Shown by its hash alone. */
  readonly isHidden?: boolean;
}

export function decisionLeaf(index: number, record: Uint8Array, changes: Partial<Leaf> = {}): Leaf {
  return {
    log: 'w1',
    decision_id: `dec_${index.toString(16).padStart(32, '0')}`,
    audit_id: `aud_${index.toString(16).padStart(32, '0')}`,
    workspace: WORKSPACE,
    keyId: 'key_01970000000070008000000000000001',
    keyKind: 'live',
    timestamp: new Date(T0 + index).toISOString(),
    decision: 'allow',
    evaluatedDecision: 'allow',
    reason_code: 'requirements_met',
    intentDigest: digestOf(Buffer.from(`intent ${index}`)),
    policyRef: index % 3 === 0 ? BUNDLE_DIGEST : null,
    validUntil: new Date(T0 + index + 300_000).toISOString(),
    recordDigest: digestOf(record),
    ...changes,
  };
}

export function decisionEntry(index: number, changes: Partial<Leaf> = {}): TestEntry {
  const record = Buffer.from(`{"record":${index}}`);
  return { bytes: leafBytes(decisionLeaf(index, record, changes)), record };
}

/** Every fourth entry is another workspace's. */
export function mixedEntries(size: number, log = 'w1'): TestEntry[] {
  return Array.from({ length: size }, (_, i) =>
    i % 4 === 3
      ? { ...decisionEntry(i, { log, workspace: OTHER_WORKSPACE }), isHidden: true }
      : decisionEntry(i, { log }),
  );
}

export class TestLog {
  readonly log: string;
  readonly entries: readonly TestEntry[];
  readonly signer: TestSigner;
  readonly #subtrees = new Map<string, Uint8Array>();
  readonly #roots: Uint8Array[];

  constructor(entries: readonly TestEntry[], log = 'w1', signer = SIGNER) {
    this.log = log;
    this.entries = entries;
    this.signer = signer;
    const frontier = new Frontier(sha256);
    this.#roots = [frontier.root()];
    for (const { bytes } of entries) {
      frontier.append(leafHash(bytes, sha256), (level, index, subtree) => {
        this.#subtrees.set(`${level}/${index}`, subtree);
      });
      this.#roots.push(frontier.root());
    }
  }

  read = (level: number, index: number): Uint8Array => {
    const subtree = this.#subtrees.get(`${level}/${index}`);
    if (subtree === undefined) throw new RangeError(`no complete subtree ${level}/${index}`);
    return subtree;
  };

  root(size = this.entries.length): Uint8Array {
    return this.#roots[size]!;
  }

  checkpoint(size = this.entries.length, signer = this.signer): string {
    return signer.note(checkpointText({ log: this.log, size, root: this.root(size) }));
  }

  receipt(index: number, treeSize = this.entries.length): Receipt {
    return buildReceipt({
      leaf: this.entries[index]!.bytes,
      index,
      treeSize,
      proof: inclusionProof(index, treeSize, this.read, sha256),
      checkpoint: this.checkpoint(treeSize),
    });
  }

  /** The log's lines between header and trailer. */
  entryLines(): ExportLine[] {
    return this.entries.map(({ bytes, record, isHidden }, index) =>
      isHidden === true
        ? { kind: 'hash', log: this.log, index, hash: base64(leafHash(bytes)) }
        : {
            ...{ kind: 'entry', log: this.log, index, leaf: base64(bytes) },
            ...(record !== undefined && { record: base64(record) }),
          },
    );
  }
}

export function header(logs: readonly { log: TestLog; continues?: string }[]): ExportLine {
  return {
    kind: 'header',
    version: 'writecheck.export.v1',
    workspace: WORKSPACE,
    logs: logs.map(({ log, continues }) => ({
      ...{ log: log.log, checkpoint: log.checkpoint() },
      ...(continues !== undefined && { continues }),
    })),
  };
}

export const BUNDLE_LINE: ExportLine = { kind: 'bundle', digest: BUNDLE_DIGEST, documents: DOCUMENTS };

/** Adds the trailer that counts the lines. */
export function exportText(lines: readonly ExportLine[]): string[] {
  return [...lines, { kind: 'trailer', lines: lines.length } as const].map(exportLine);
}

export function exportOf(...logs: TestLog[]): string[] {
  return exportText([
    header(logs.map((log) => ({ log }))),
    BUNDLE_LINE,
    ...logs.flatMap((log) => log.entryLines()),
  ]);
}
