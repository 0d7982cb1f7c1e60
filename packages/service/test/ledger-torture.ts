/** Tampers with the exported log of a real store at every place, in every way: nothing may go unseen. */
import { rmSync } from 'node:fs';
import {
  decodeBase64,
  type ExportLine,
  encodeBase64,
  exportLine,
  leafBytes,
  parseEntry,
  verifyExport,
} from '@writecheck/ledger';
import { exportLog } from '../src/audit/export-log.ts';
import { sha256 } from '../src/audit/log-hashes.ts';
import { openAudit } from '../src/audit/open-audit.ts';
import { intentOf, openKit } from './check-kit.ts';
import { tortureFolder } from './kill-torture.ts';

/** One workspace in so many is the exporting one; the others show as hashes. */
const OWN_SHARE = 20;
const BATCH = 50;

type Tampering = (lines: readonly ExportLine[], at: number) => readonly ExportLine[];

const renumbered = (lines: readonly ExportLine[]): readonly ExportLine[] => {
  let index = 0;
  return lines.map((line, at) =>
    line.kind === 'entry' || line.kind === 'hash'
      ? { ...line, index: index++ }
      : line.kind === 'trailer'
        ? { ...line, lines: at }
        : line,
  );
};

const edited = (line: ExportLine): ExportLine => {
  if (line.kind === 'hash') return { ...line, hash: encodeBase64(sha256(Buffer.from(line.hash))) };
  const entry = line.kind === 'entry' ? parseEntry(decodeBase64(line.leaf)!) : null;
  if (line.kind !== 'entry' || entry?.kind !== 'decision') return line;
  return { ...line, leaf: encodeBase64(leafBytes({ ...entry.leaf, decision: 'block' })) };
};

const recordEdited = (line: ExportLine): ExportLine =>
  line.kind === 'entry' && line.record !== undefined
    ? { ...line, record: encodeBase64(Buffer.concat([decodeBase64(line.record)!, Buffer.from(' ')])) }
    : edited(line);

const swapped = (lines: readonly ExportLine[], at: number): readonly ExportLine[] => {
  const other = lines[at + 1]?.kind === 'trailer' ? at - 1 : at + 1;
  return lines.with(at, lines[other]!).with(other, lines[at]!);
};

const TAMPERINGS: { readonly [name: string]: Tampering } = {
  'edit a leaf': (lines, at) => lines.with(at, edited(lines[at]!)),
  'edit a record': (lines, at) => lines.with(at, recordEdited(lines[at]!)),
  delete: (lines, at) => renumbered(lines.toSpliced(at, 1)),
  repeat: (lines, at) => renumbered(lines.toSpliced(at, 0, lines[at]!)),
  swap: (lines, at) => renumbered(swapped(lines, at)),
  'cut the tail': (lines, at) => renumbered([...lines.slice(0, at), lines.at(-1)!]),
  'cut the file': (lines, at) => lines.slice(0, at),
};

const exported = async (size: number) => {
  const folder = tortureFolder();
  const kit = await openKit({ folder });
  const other = await openKit({ store: kit.store });
  const audit = await openAudit({ data: folder, signingKey: null, databaseUrl: null }, kit.store, Date.now());
  const parts = { store: kit.store, notary: audit.notary };
  const lines: ExportLine[] = [];
  const grow = async (to: number, asked: number): Promise<number> => {
    let count = asked;
    for (; count < to; count += BATCH) {
      const checks = Array.from({ length: Math.min(BATCH, to - count) }, () => intentOf());
      const { status } = await ((count / BATCH) % OWN_SHARE === 0 ? kit : other).askBatch(checks);
      if (status !== 200) throw new Error(`a check was answered with ${status}`);
    }
    return count;
  };
  await grow(size, 0);
  for await (const text of exportLog(parts, { workspace: kit.workspace })) {
    for (const line of text.slice(0, -1).split('\n')) lines.push(JSON.parse(line));
  }
  const keys = await audit.notary.verifierKeys();
  // A checkpoint of later, as a witness would have it: the honest export is then one that was rolled back.
  await grow(size + 1, size);
  const later = (await audit.notary.newest(kit.store.log))!.note;
  await other.close();
  await kit.close();
  await kit.store.close();
  rmSync(folder, { recursive: true });
  return { lines, keys, later, workspace: kit.workspace };
};

export const tortureLedger = async (size: number, stride: number) => {
  const { lines, keys, later, workspace } = await exported(size);
  const texts = new Map(lines.map((line) => [line, exportLine(line)]));
  const verify = (of: readonly ExportLine[], knownCheckpoints: readonly string[] = []) =>
    verifyExport(
      of.map((line) => texts.get(line) ?? exportLine(line)),
      { keys, workspace, sha256, knownCheckpoints },
    );
  const faults: string[] = [];
  if (!(await verify(lines)).ok) faults.push('the honest export does not verify');
  if ((await verify(lines, [later])).ok) faults.push('a rolled back log went unseen');
  const first = lines.findIndex(({ kind }) => kind === 'entry' || kind === 'hash');
  let tried = 0;
  for (let at = first; at < first + size; at += stride) {
    for (const [name, tamper] of Object.entries(TAMPERINGS)) {
      tried += 1;
      if ((await verify(tamper(lines, at))).ok) faults.push(`${name} at ${at - first} went unseen`);
    }
  }
  return { tried, places: Math.ceil(size / stride), faults };
};

/** For `npm run torture -- ledger [size] [stride]`; a stride above 1 tries only every so manieth place. */
export const torture = async (args: readonly string[]) => {
  const [size = 10_000, stride = 1] = args.map(Number);
  const { tried, places, faults } = await tortureLedger(size, stride);
  return {
    claim: 'no tampering with an exported log goes unseen',
    count: `${tried} tamperings at ${places} places of a log of ${size}`,
    seed: 'none',
    faults,
  };
};
