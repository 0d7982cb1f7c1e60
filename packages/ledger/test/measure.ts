/** Prints what the ledger costs per entry: `npm run measure -w packages/ledger`. */
import { hash } from 'node:crypto';
import {
  buildReceipt,
  checkpointText,
  type ExportLine,
  Frontier,
  leafBytes,
  leafHash,
  tileHashReader,
  verifyExport,
} from '../src/index.ts';
import { tilePlace } from '../src/tiles.ts';
import { inclusionProof } from './proofs.ts';
import { BUNDLE_LINE, base64, decisionLeaf, exportText, WORKSPACE } from './test-log.ts';
import { SIGNER } from './test-signer.ts';

function native(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}
const SIZE = 200_000;
const ROUNDS = 5;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** The median of rounds, so that a busy moment of the machine does not count. */
function measure(name: string, times: number, work: (i: number) => unknown): void {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    for (let i = 0; i < times; i += 1) work(i);
    return ((performance.now() - start) * 1000) / times;
  });
  console.log(`${median(rounds).toFixed(2).padStart(8)} µs  ${name}`);
}

const record = Buffer.from(JSON.stringify({ record: 'x'.repeat(2_500) }));
const leaves = Array.from({ length: 1_000 }, (_, i) => decisionLeaf(i, record));
const tiles = new Map<string, Uint8Array>();
const log = new Frontier(native);
for (let i = 0; i < SIZE; i += 1) {
  log.append(leafHash(leafBytes(leaves[i % 1_000]!), native), (level, index, subtree) => {
    const place = tilePlace(level, index);
    if (place === null) return;
    const key = `${place.tileLevel}/${place.tileIndex}`;
    const tile = tiles.get(key) ?? new Uint8Array(256 * 32);
    tile.set(subtree, place.offset * 32);
    tiles.set(key, tile);
  });
}
const read = tileHashReader((level, index) => tiles.get(`${level}/${index}`)!, native);
const proof = inclusionProof(SIZE - 1, SIZE, read, native);
const leaf = leafBytes(leaves[0]!);
const block = new Uint8Array(65);

measure('SHA-256 of one inner node, for comparison', 100_000, () => native(block));
measure(`append to a log of ${SIZE}: leaf bytes, leaf hash, frontier`, 100_000, (i) =>
  log.append(leafHash(leafBytes(leaves[i % 1_000]!), native)),
);
const pure = new Frontier();
measure('the same with the hash written in JavaScript', 50_000, (i) =>
  pure.append(leafHash(leafBytes(leaves[i % 1_000]!))),
);
measure('root of the log', 20_000, () => log.root());
measure('inclusion proof of a recent entry, from tiles', 20_000, (i) =>
  inclusionProof(SIZE - 1 - (i % 64), SIZE, read, native),
);
measure('receipt around a proof', 20_000, () =>
  buildReceipt({ leaf, index: SIZE - 1, treeSize: SIZE, proof, checkpoint: 'x' }),
);

const exported = new Frontier(native);
const lines: ExportLine[] = Array.from({ length: 20_000 }, (_, index) => {
  const bytes = leafBytes(leaves[index % 1_000]!);
  exported.append(leafHash(bytes, native));
  return { kind: 'entry', log: 'w1', index, leaf: base64(bytes), record: base64(record) };
});
const checkpoint = SIGNER.note(checkpointText({ log: 'w1', size: exported.size, root: exported.root() }));
const header: ExportLine = {
  ...{ kind: 'header', version: 'writecheck.export.v1', workspace: WORKSPACE },
  logs: [{ log: 'w1', checkpoint }],
};
const text = exportText([header, BUNDLE_LINE, ...lines]);
for (const [name, sha256] of [
  ['native', native],
  ['JavaScript', undefined],
] as const) {
  const start = performance.now();
  const verdict = await verifyExport(text, { keys: [SIGNER.line], ...(sha256 && { sha256 }) });
  if (!verdict.ok) throw new Error(verdict.words);
  const perEntry = ((performance.now() - start) * 1000) / lines.length;
  console.log(
    `${perEntry.toFixed(2).padStart(8)} µs  verifying one exported entry with a 2.5 KB record, ${name} hash`,
  );
}
