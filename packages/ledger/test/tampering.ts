/** Ways to tamper with a log or its export at one place, each as a program that a dishonest keeper could run. */
import {
  continuationBytes,
  type ExportLine,
  type ExportVerdict,
  leafBytes,
  parseLeaf,
  verifyExport,
} from '../src/index.ts';
import {
  BUNDLE_LINE,
  base64,
  decisionEntry,
  exportText,
  header,
  mixedEntries,
  sha256,
  type TestEntry,
  TestLog,
} from './test-log.ts';
import { SIGNER, STRANGER } from './test-signer.ts';

/** Lines between header and trailer, as a keeper without the signing key may change them. */
type ChangeLines = (entries: readonly ExportLine[], at: number) => readonly ExportLine[];

function renumber(entries: readonly ExportLine[]): ExportLine[] {
  return entries.map((line, index) =>
    line.kind === 'entry' || line.kind === 'hash' ? { ...line, index } : line,
  );
}

function swap<T>(list: readonly T[], at: number): T[] {
  const other = (at + 1) % list.length;
  return list.with(at, list[other]!).with(other, list[at]!);
}

/** Changes the content of the entry, keeping its form; one shown as a hash gets another hash. */
function edit(line: ExportLine): ExportLine {
  if (line.kind === 'hash') return { ...line, hash: base64(sha256(Buffer.from(line.hash))) };
  if (line.kind !== 'entry') return line;
  const leaf = parseLeaf(Buffer.from(line.leaf, 'base64'))!;
  return { ...line, leaf: base64(leafBytes({ ...leaf, reason_code: 'policy_unmatched' })) };
}

function editRecord(line: ExportLine, withDigest: boolean): ExportLine {
  if (line.kind !== 'entry') return edit(line);
  const record = Buffer.from('{"record":"another"}');
  const leaf = parseLeaf(Buffer.from(line.leaf, 'base64'))!;
  const recordDigest = `sha256:${Buffer.from(sha256(record)).toString('hex')}`;
  const edited = withDigest ? base64(leafBytes({ ...leaf, recordDigest })) : line.leaf;
  return { ...line, leaf: edited, record: base64(record) };
}

export const LINE_TAMPERINGS: Readonly<Record<string, ChangeLines>> = {
  'edit a leaf': (entries, at) => entries.with(at, edit(entries[at]!)),
  'edit a record': (entries, at) => entries.with(at, editRecord(entries[at]!, false)),
  'edit a record and its digest': (entries, at) => entries.with(at, editRecord(entries[at]!, true)),
  delete: (entries, at) => entries.toSpliced(at, 1),
  'delete and renumber': (entries, at) => renumber(entries.toSpliced(at, 1)),
  repeat: (entries, at) => entries.toSpliced(at, 0, entries[at]!),
  'repeat and renumber': (entries, at) => renumber(entries.toSpliced(at, 0, entries[at]!)),
  swap: (entries, at) => swap(entries, at),
  'swap and renumber': (entries, at) => renumber(swap(entries, at)),
  'cut the tail': (entries, at) => entries.slice(0, at),
  'hide behind another hash': (entries, at) =>
    entries.with(at, { kind: 'hash', log: 'w1', index: at, hash: base64(sha256(Buffer.from('x'))) }),
};

/** Needs the signing key: the keeper is the signer. Only a checkpoint that somebody else kept reveals it. */
type Rebuild = (entries: readonly TestEntry[], at: number) => TestLog;

export const SIGNER_TAMPERINGS: Readonly<Record<string, Rebuild>> = {
  'fork at an entry': (entries, at) =>
    new TestLog(entries.with(at, decisionEntry(at, { reason_code: 'policy_unmatched' }))),
  'leave an entry out': (entries, at) =>
    new TestLog([...entries.toSpliced(at, 1), decisionEntry(entries.length)]),
  'roll back': (entries, at) => new TestLog(entries.slice(0, at)),
  'start anew': (entries, at) => {
    const checkpoint = new TestLog(entries.slice(0, at)).checkpoint();
    const timestamp = '2026-11-15T04:00:00.000Z';
    const first = continuationBytes({ kind: 'continuation', log: 'w1', timestamp, checkpoint });
    return new TestLog([{ bytes: first }, ...entries.slice(1)]);
  },
};

function exportLines(log: TestLog, entries: readonly ExportLine[]): string[] {
  return exportText([header([{ log }]), BUNDLE_LINE, ...entries]);
}

function verify(lines: readonly string[], knownCheckpoints: readonly string[] = []) {
  return verifyExport(lines, { keys: [SIGNER.line], knownCheckpoints, sha256 });
}

export interface TamperingCount {
  readonly name: string;
  readonly tried: number;
  readonly undetected: readonly number[];
}

/** Every tampering at every place of a log of this size; undetected ones are listed by their place. */
export async function tamperEverywhere(size: number): Promise<readonly TamperingCount[]> {
  const contents = mixedEntries(size);
  const log = new TestLog(contents);
  const entries = log.entryLines();
  const honest = exportLines(log, entries);
  const newest = log.checkpoint();
  const attempts: [string, (at: number) => Promise<ExportVerdict>][] = [
    ...Object.entries(LINE_TAMPERINGS).map(
      ([name, change]): [string, (at: number) => Promise<ExportVerdict>] => [
        name,
        (at) => verify(exportLines(log, change(entries, at))),
      ],
    ),
    ...Object.entries(SIGNER_TAMPERINGS).map(
      ([name, rebuild]): [string, (at: number) => Promise<ExportVerdict>] => [
        name,
        (at) => {
          const rebuilt = rebuild(contents, at);
          return verify(exportLines(rebuilt, rebuilt.entryLines()), [newest]);
        },
      ],
    ),
    ['cut the file', (at) => verify(honest.slice(0, at + 2))],
    [
      'swap the key',
      (at) => {
        const stolen = new TestLog(contents.slice(0, at + 1), 'w1', STRANGER);
        return verify(exportLines(stolen, stolen.entryLines()));
      },
    ],
  ];
  const counts: TamperingCount[] = [];
  for (const [name, attempt] of attempts) {
    const undetected: number[] = [];
    for (let at = 0; at < size; at += 1) if ((await attempt(at)).ok) undetected.push(at);
    counts.push({ name, tried: size, undetected });
  }
  return counts;
}
