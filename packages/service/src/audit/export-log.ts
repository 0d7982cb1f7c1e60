/**
 * One workspace's export, as it streams: its own entries and records, everybody else's hashes. Bundles come first,
 * so that an export that broke off can go on after any entry.
 */
import { type ExportLine, encodeBase64, exportLine, parseEntry } from '@writecheck/ledger';
import { storedDocuments } from '../policies/stored-documents.ts';
import {
  type Decisions,
  type LogHead,
  type Policies,
  type Segment,
  StoreUnavailable,
} from '../store/port.ts';
import type { LogNotary } from './log-notary.ts';

export interface ExportParts {
  readonly store: Pick<Decisions, 'logs' | 'segments'> & Pick<Policies, 'listPolicies' | 'findPolicy'>;
  readonly notary: Pick<LogNotary, 'newest'>;
}

export interface ExportQuery {
  readonly workspace: string;
  /** Included. */
  readonly fromMs?: number;
  /** Not included. */
  readonly toMs?: number;
}

/** Where an export goes on: what its reader has of it already. */
export interface ExportPlace {
  /** Whole lines it has, the header among them. */
  readonly lines: number;
  /** The last entry or hash it has. */
  readonly log: string;
  readonly index: number;
  /** Up to where each log is exported, as the header's checkpoints say. */
  readonly sizes: { readonly [log: string]: number };
}

const HASH_BYTES = 32;

/** Whole lines with their newlines, some at a time. */
export async function* exportLog(
  parts: ExportParts,
  query: ExportQuery,
  place: ExportPlace | null = null,
): AsyncGenerator<string> {
  let lines = place?.lines ?? 0;
  const written = (line: ExportLine): string => {
    lines += 1;
    return `${exportLine(line)}\n`;
  };
  const heads = await parts.store.logs();
  let sizes = place?.sizes;
  if (sizes === undefined) {
    const header = await headerOf(parts, query.workspace, heads);
    sizes = header.sizes;
    yield written(header.line);
    for await (const line of bundlesOf(parts, query.workspace)) yield written(line);
  }
  let isAhead = place === null;
  for (const { log } of heads) {
    const isHere = log === place?.log;
    if (!isAhead && !isHere) continue;
    const size = sizes[log] ?? 0;
    for (let at = !isAhead && isHere ? place!.index + 1 : 0; at < size; ) {
      const [segment] = await parts.store.segments(log, at, 1);
      if (segment === undefined) throw new Error(`the log ${log} ends at ${at} of ${size}`);
      const end = Math.min(size, segment.firstIndex + segment.entries.length);
      let text = '';
      for (; at < end; at += 1) text += written(lineOf(segment, at, query));
      yield text;
      // Checks come first: whatever waits is served before the next segment is read.
      await new Promise((resolve) => setImmediate(resolve));
    }
    isAhead = true;
  }
  yield `${exportLine({ kind: 'trailer', lines })}\n`;
}

const headerOf = async (
  { store, notary }: ExportParts,
  workspace: string,
  heads: readonly LogHead[],
): Promise<{ readonly line: ExportLine; readonly sizes: { readonly [log: string]: number } }> => {
  const sizes: Record<string, number> = {};
  const logs: { log: string; checkpoint: string; continues?: string }[] = [];
  for (const { log } of heads) {
    const checkpoint = (await notary.newest(log))!;
    sizes[log] = checkpoint.size;
    const [first] = await store.segments(log, 0, 1);
    const entry = first === undefined ? null : parseEntry(first.entries[0]!.leaf);
    const continues = entry?.kind === 'continuation' ? { continues: entry.checkpoint } : {};
    logs.push({ log, checkpoint: checkpoint.note, ...continues });
  }
  return { line: { kind: 'header', version: 'writecheck.export.v1', workspace, logs }, sizes };
};

/** Each once, one in memory at a time. */
async function* bundlesOf({ store }: ExportParts, workspace: string): AsyncGenerator<ExportLine> {
  const digests = new Set<string>();
  for (const { revision, digest } of [...(await store.listPolicies(workspace))].reverse()) {
    if (digests.has(digest)) continue;
    digests.add(digest);
    const stored = (await store.findPolicy(workspace, revision))!;
    const documents = storedDocuments(stored.documents);
    if (documents === null)
      throw new StoreUnavailable('corrupt', `policy revision ${revision} cannot be read`);
    yield { kind: 'bundle', digest, documents };
  }
}

/** An entry of a newer version may have no time; then only an export of everything shows it. */
const isAskedFor = (timestamp: string | null, { fromMs, toMs }: ExportQuery): boolean => {
  if (timestamp === null) return fromMs === undefined && toMs === undefined;
  const atMs = Date.parse(timestamp);
  return atMs >= (fromMs ?? 0) && atMs < (toMs ?? Number.POSITIVE_INFINITY);
};

const lineOf = (segment: Segment, index: number, query: ExportQuery): ExportLine => {
  const { log, firstIndex, entries, leafHashes } = segment;
  const { leaf, record } = entries[index - firstIndex]!;
  const at = (index - firstIndex) * HASH_BYTES;
  const hash: ExportLine = {
    kind: 'hash',
    log,
    index,
    hash: encodeBase64(leafHashes.subarray(at, at + HASH_BYTES)),
  };
  const entry = leaf.length === 0 ? null : parseEntry(leaf);
  if (entry === null) return hash;
  const shown: ExportLine = { kind: 'entry', log, index, leaf: encodeBase64(leaf) };
  if (entry.kind === 'continuation') return shown;
  const { workspace, timestamp } = entry.kind === 'decision' ? entry.leaf : entry;
  if (workspace !== query.workspace || !isAskedFor(timestamp, query)) return hash;
  return entry.kind === 'decision' ? { ...shown, record: encodeBase64(record) } : shown;
};
