/** Ways to tamper with an export at one place, and the test whether any of them is missed. */
import {
  decodeBase64,
  type ExportLine,
  encodeBase64,
  exportLine,
  leafBytes,
  parseEntry,
  verifyExport,
} from '@writecheck/ledger';
import { sha256 } from '@writecheck/store/sha256';

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
  if (line.kind !== 'entry') return line;
  const bytes = decodeBase64(line.leaf)!;
  const entry = parseEntry(bytes);
  if (entry?.kind !== 'decision') {
    const text = Buffer.from(bytes).toString().replace('"timestamp":"2', '"timestamp":"3');
    return { ...line, leaf: encodeBase64(Buffer.from(text)) };
  }
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

export interface Trial {
  readonly lines: readonly ExportLine[];
  readonly keys: readonly string[];
  readonly workspace: string;
  /** Places in the lines. */
  readonly from: number;
  readonly to: number;
  readonly stride: number;
  /** How many ways to try at each place, in turn, so that every way is tried at regular distances. */
  readonly ways: number;
}

export const WAYS = Object.keys(TAMPERINGS).length;

export const verifyLines = (
  { keys, workspace }: Pick<Trial, 'keys' | 'workspace'>,
  texts: readonly string[],
  knownCheckpoints: readonly string[] = [],
) => verifyExport(texts, { keys, workspace, sha256, knownCheckpoints });

export const tryTampering = async (trial: Trial) => {
  const { lines, from, to, stride, ways } = trial;
  const texts = new Map(lines.map((line) => [line, exportLine(line)]));
  const all = Object.entries(TAMPERINGS);
  const faults: string[] = [];
  let tried = 0;
  for (let at = from; at < to; at += stride) {
    for (let way = 0; way < ways; way += 1) {
      const [name, tamper] = all[(at * ways + way) % all.length]!;
      tried += 1;
      const tampered = tamper(lines, at).map((line) => texts.get(line) ?? exportLine(line));
      if ((await verifyLines(trial, tampered)).ok) faults.push(`${name} at line ${at + 1} went unseen`);
    }
  }
  return { tried, faults };
};
