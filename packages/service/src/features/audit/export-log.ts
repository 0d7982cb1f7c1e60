/**
 * Streams one workspace's export: its own entries and records, and hashes for everybody else's. Bundles come first,
 * so that an interrupted export can resume after any entry.
 */
import { setImmediate } from 'node:timers/promises';
import {
  type Entry,
  type ExportedLog,
  type ExportLine,
  type ExportPlace,
  encodeBase64,
  exportLine,
  parseEntry,
  recordedIntent,
} from '@writecheck/ledger';
import { isDecisionLeaf, isOfWorkspace } from '@writecheck/store/log/leaf-shape';
import { type LogHead, type Segment, type Store, StoreUnavailable } from '@writecheck/store/port';
import { HASH_BYTES } from '@writecheck/store/sha256';
import { storedDocuments } from '../policies/stored-documents.ts';
import { frontierAt } from './log-hashes.ts';
import type { LogNotary } from './log-notary.ts';

/** Limits the entries in memory: twice this many. */
const ENTRIES_AT_ONCE = 512;
const SEGMENTS_AT_ONCE = 128;

interface ExportParts {
  readonly store: Pick<Store, 'logs' | 'segments' | 'listPolicies' | 'findPolicy' | 'subtreeHashes'>;
  readonly notary: Pick<LogNotary, 'newest'>;
}

interface ExportQuery {
  readonly workspace: string;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
  /** Limits the export to decisions for this key, and the entries that follow from them. */
  readonly keyId?: string | undefined;
  /** Limits the export to decisions about this object, and the entries that follow from them. */
  readonly objectRef?: string | undefined;
  /** How many entries of each log its reader trusts already; they are left out. */
  readonly since?: { readonly [log: string]: number } | undefined;
}

/** A query with the decisions it has shown, so that what follows them is shown too. */
interface Showing extends ExportQuery {
  readonly shown: Set<string> | null;
}

/** Whole lines with their newlines, several at a time. */
export async function* exportLog(
  parts: ExportParts,
  wanted: ExportQuery,
  place: ExportPlace | null = null,
): AsyncGenerator<string> {
  const isChosen = wanted.keyId !== undefined || wanted.objectRef !== undefined;
  const query: Showing = { ...wanted, shown: isChosen ? new Set() : null };
  let lines = place?.lines ?? 0;
  const writtenText = (line: string): string => {
    lines += 1;
    return `${line}\n`;
  };
  const written = (line: ExportLine): string => writtenText(exportLine(line));
  const isOwn = isOfWorkspace(query.workspace);
  const heads = await parts.store.logs();
  let sizes = place?.sizes;
  if (sizes === undefined) {
    const header = await headerOf(parts, query, heads);
    sizes = header.sizes;
    yield written(header.line);
    for await (const line of bundlesOf(parts, query.workspace)) yield written(line);
  }
  if (query.shown !== null && heads.length > 1) await noteDecisions(parts.store, sizes, query);
  let isAhead = place === null;
  for (const { log } of heads) {
    const isHere = log === place?.log;
    if (!isAhead && !isHere) continue;
    const size = sizes[log] ?? 0;
    let at = !isAhead && isHere ? place!.index + 1 : beginOf(log, size, query);
    for await (const segment of segmentsFrom(parts.store, log, at, size)) {
      const end = Math.min(size, segment.firstIndex + segment.entries.length);
      let text = '';
      for (; at < end; at += 1) text += writtenText(entryLine(segment, at, query, isOwn));
      yield text;
      // Checks come first: waiting requests are served before the next segment is read.
      await setImmediate();
    }
    isAhead = true;
  }
  yield `${exportLine({ kind: 'trailer', lines })}\n`;
}

/** A log that is shorter than what was trusted is shown whole: its reader reports what is missing. */
function beginOf(log: string, size: number, { since = {} }: ExportQuery): number {
  const begin = Object.hasOwn(since, log) ? since[log]! : 0;
  return begin <= size ? begin : 0;
}

/** If several writers have logs, an entry that follows from a decision may be in a log before the decision's own. */
async function noteDecisions(
  store: ExportParts['store'],
  sizes: ExportPlace['sizes'],
  query: Showing,
): Promise<void> {
  for (const [log, size] of Object.entries(sizes)) {
    for await (const segment of segmentsFrom(store, log, beginOf(log, size, query), size)) {
      for (const entry of segment.entries.slice(0, size - segment.firstIndex)) shownEntry(entry, query);
      await setImmediate();
    }
  }
}

/**
 * The next ones are read while the caller is busy with those before. A light load makes segments of one entry, so as
 * many are read at a time as hold a few hundred: `npm run bench -- growth`, `BENCH_GROUP=1`.
 */
async function* segmentsFrom(
  store: ExportParts['store'],
  log: string,
  from: number,
  size: number,
): AsyncGenerator<Segment> {
  let next = from < size ? store.segments(log, from, 1) : null;
  for (let at = from; next !== null; ) {
    const some = await next;
    const last = some.at(-1);
    if (last === undefined) throw new Error(`the log ${log} ends at ${at} of ${size}`);
    const entries = last.firstIndex + last.entries.length - some[0]!.firstIndex;
    at = last.firstIndex + last.entries.length;
    const limit = Math.floor((ENTRIES_AT_ONCE * some.length) / entries);
    next = at < size ? store.segments(log, at, Math.max(1, Math.min(SEGMENTS_AT_ONCE, limit))) : null;
    // The caller may stop before it is awaited.
    next?.catch(() => undefined);
    yield* some;
  }
}

async function headerOf(
  { store, notary }: ExportParts,
  query: ExportQuery,
  heads: readonly LogHead[],
): Promise<{ readonly line: ExportLine; readonly sizes: { readonly [log: string]: number } }> {
  const sizes: Record<string, number> = {};
  const logs: ExportedLog[] = [];
  for (const { log } of heads) {
    const checkpoint = (await notary.newest(log))!;
    sizes[log] = checkpoint.size;
    const [first] = await store.segments(log, 0, 1);
    const entry = first === undefined ? null : parseEntry(first.entries[0]!.leaf);
    const continues = entry?.kind === 'continuation' ? { continues: entry.checkpoint } : {};
    const begin = beginOf(log, checkpoint.size, query);
    const since = begin === 0 ? {} : { since: encodeBase64(await frontierAt(store, log, begin)) };
    logs.push({ log, checkpoint: checkpoint.note, ...continues, ...since });
  }
  const { workspace } = query;
  return { line: { kind: 'header', version: 'writecheck.export.v1', workspace, logs }, sizes };
}

/** Each once, with one in memory at a time. */
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

/** An entry of a newer version may have no time; then only a full export shows it. */
function isInTime(timestamp: string | null, { fromMs, toMs }: ExportQuery): boolean {
  if (timestamp === null) return fromMs === undefined && toMs === undefined;
  const atMs = Date.parse(timestamp);
  return atMs >= (fromMs ?? 0) && atMs < (toMs ?? Number.POSITIVE_INFINITY);
}

/** Reviews repeat intents of other decisions, so a filtered export omits them; it always shows who changed what. */
function isChosen(entry: Entry, record: Uint8Array, { keyId, objectRef, shown }: Showing): boolean {
  if (shown === null) return true;
  switch (entry.kind) {
    case 'decision': {
      const { decision_id, keyId: askedBy } = entry.leaf;
      const isIt =
        (keyId === undefined || askedBy === keyId) &&
        (objectRef === undefined || recordedIntent(record).objectRef === objectRef);
      if (isIt) shown.add(decision_id);
      return isIt;
    }
    case 'redemption':
    case 'decision.outcome':
      return shown.has(entry.decision_id);
    default:
      return entry.kind !== 'review';
  }
}

/**
 * The line of an entry, exactly as `exportLine` writes it. Most entries are decisions of the workspace, and those are
 * put together without parsing the leaf or scanning kilobytes of base64 for characters to escape, of which it has none;
 * `npm run bench -- growth`, export.
 */
function entryLine(
  segment: Segment,
  index: number,
  query: Showing,
  isOwn: (leaf: Uint8Array) => boolean,
): string {
  const { leaf, record } = segment.entries[index - segment.firstIndex]!;
  const isWhole = query.fromMs === undefined && query.toMs === undefined && query.shown === null;
  if (!isWhole || !isDecisionLeaf(leaf) || !isOwn(leaf)) return exportLine(lineOf(segment, index, query));
  const place = `{"kind":"entry","log":${JSON.stringify(segment.log)},"index":${index}`;
  return `${place},"leaf":"${encodeBase64(leaf)}","record":"${encodeBase64(record)}"}`;
}

function lineOf(segment: Segment, index: number, query: Showing): ExportLine {
  const { log, firstIndex, entries, leafHashes } = segment;
  const { leaf, record } = entries[index - firstIndex]!;
  const at = (index - firstIndex) * HASH_BYTES;
  const hash: ExportLine = {
    kind: 'hash',
    log,
    index,
    hash: encodeBase64(leafHashes.subarray(at, at + HASH_BYTES)),
  };
  const entry = shownEntry({ leaf, record }, query);
  if (entry === null) return hash;
  const shown: ExportLine = { kind: 'entry', log, index, leaf: encodeBase64(leaf) };
  // Few entries other than decisions have a record: the texts whose digests the entry holds.
  const hasRecord = entry.kind !== 'continuation' && record.length > 0;
  return hasRecord ? { ...shown, record: encodeBase64(record) } : shown;
}

/** Null if the export has only its hash. */
function shownEntry({ leaf, record }: Segment['entries'][number], query: Showing): Entry | null {
  const entry = leaf.length === 0 ? null : parseEntry(leaf);
  if (entry === null || entry.kind === 'continuation') return entry;
  const { workspace, timestamp } = entry.kind === 'decision' ? entry.leaf : entry;
  // Needed whatever the period: the public keys that verify its verdicts may have been registered before.
  const isNeeded = entry.kind === 'person' || isInTime(timestamp, query);
  return workspace === query.workspace && isNeeded && isChosen(entry, record, query) ? entry : null;
}
