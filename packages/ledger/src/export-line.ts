/**
 * The format of an export, `writecheck.export.v1`: NDJSON, each line exactly as `JSON.stringify` writes it.
 *
 * 1. One `header`: the workspace, and for each log the signed checkpoint up to which it is exported, with the
 *    checkpoint it continues from if it began after a restored backup. If the reader trusts an earlier checkpoint, the
 *    log may begin there: `since` has the tree of that size as its frontier.
 * 2. In any mixture, each log's lines in the order of their indexes and without a gap from its begin to the checkpoint:
 *    - `entry`: an entry of the workspace (or a log's continuation) in base64, a decision with its record's bytes;
 *    - `hash`: the leaf hash alone, for other workspaces' entries and for what was pruned or filtered out;
 *    - `bundle`: a policy bundle, once, before the first decision made under it;
 *    - `checkpoint`: an earlier signed checkpoint, right after the last entry it covers. These are optional and
 *      narrow down the place of an error.
 * 3. One `trailer`, which counts the lines before it, so that a truncated file is detected.
 */
import { DEPTH_MAX, decodeBase64, isObject, parseStrictJson } from '@writecheck/contract';
import { isCount, isLogName, isText } from './leaf.ts';
import { HASH_BYTES, isDigest } from './sha256.ts';

export const EXPORT_VERSION = 'writecheck.export.v1';

export interface ExportedLog {
  readonly log: string;
  readonly checkpoint: string;
  readonly continues?: string;
  /** Base64 of the frontier at which the log's lines begin; at entry 0 if omitted. */
  readonly since?: string;
}

export interface ExportHeader {
  readonly kind: 'header';
  readonly version: typeof EXPORT_VERSION;
  readonly workspace: string;
  readonly logs: readonly ExportedLog[];
}

export interface ExportEntry {
  readonly kind: 'entry';
  readonly log: string;
  readonly index: number;
  /** Base64 of the leaf's bytes. */
  readonly leaf: string;
  /** Base64 of the record's stored bytes: of a decision, or the texts of an entry that holds their digests. */
  readonly record?: string;
}

export interface ExportHash {
  readonly kind: 'hash';
  readonly log: string;
  readonly index: number;
  /** Base64 of the leaf hash. */
  readonly hash: string;
}

export interface ExportBundle {
  readonly kind: 'bundle';
  readonly digest: string;
  /** Ordered by kind and id, so that their RFC 8785 form hashes to the digest. */
  readonly documents: readonly unknown[];
}

export interface ExportCheckpoint {
  readonly kind: 'checkpoint';
  readonly log: string;
  readonly checkpoint: string;
}

export interface ExportTrailer {
  readonly kind: 'trailer';
  /** How many lines precede this one. */
  readonly lines: number;
}

export type ExportLine =
  | ExportHeader
  | ExportEntry
  | ExportHash
  | ExportBundle
  | ExportCheckpoint
  | ExportTrailer;

/** Writes a line without its newline. */
export function exportLine(line: ExportLine): string {
  return JSON.stringify(line);
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && decodeBase64(value)?.length === HASH_BYTES;
}

function hasOnly(value: Record<string, unknown>, members: readonly string[]): boolean {
  return Object.keys(value).every((member) => members.includes(member));
}

function isExportedLog(value: unknown): boolean {
  return (
    isObject(value) &&
    hasOnly(value, ['log', 'checkpoint', 'continues', 'since']) &&
    isLogName(value.log) &&
    isText(value.checkpoint) &&
    (value.continues === undefined || isText(value.continues)) &&
    (value.since === undefined || isText(value.since))
  );
}

function isLine(value: Record<string, unknown>): boolean {
  switch (value.kind) {
    case 'header':
      return (
        hasOnly(value, ['kind', 'version', 'workspace', 'logs']) &&
        value.version === EXPORT_VERSION &&
        isText(value.workspace) &&
        Array.isArray(value.logs) &&
        value.logs.every(isExportedLog)
      );
    case 'entry':
      return (
        hasOnly(value, ['kind', 'log', 'index', 'leaf', 'record']) &&
        isLogName(value.log) &&
        isCount(value.index) &&
        typeof value.leaf === 'string' &&
        (value.record === undefined || typeof value.record === 'string')
      );
    case 'hash':
      return (
        hasOnly(value, ['kind', 'log', 'index', 'hash']) &&
        isLogName(value.log) &&
        isCount(value.index) &&
        isHash(value.hash)
      );
    case 'bundle':
      return (
        hasOnly(value, ['kind', 'digest', 'documents']) &&
        isDigest(value.digest) &&
        Array.isArray(value.documents)
      );
    case 'checkpoint':
      return (
        hasOnly(value, ['kind', 'log', 'checkpoint']) && isLogName(value.log) && isText(value.checkpoint)
      );
    case 'trailer':
      return hasOnly(value, ['kind', 'lines']) && isCount(value.lines);
    default:
      return false;
  }
}

/** Where to continue an export: what its reader already has. */
export interface ExportPlace {
  /** The whole lines it has, including the header. */
  readonly lines: number;
  /** The last entry or hash it has. */
  readonly log: string;
  readonly index: number;
  /** Up to where each log is exported, according to the header's checkpoints. */
  readonly sizes: { readonly [log: string]: number };
}

/** Documents are nested two levels deep in their line. */
const LINE_DEPTH_MAX = DEPTH_MAX + 2;

/** Null unless it is a line of this format that every reader reads the same way. */
export function parseExportLine(text: string): ExportLine | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  // A duplicate member, whichever of the two a reader takes, does not survive serialization.
  if (JSON.stringify(value) !== text) {
    // Neither does a name with an escape that JSON.parse misread, as V8 may (nodejs/node#63785): read it exactly.
    const strict = parseStrictJson(new TextEncoder().encode(text), LINE_DEPTH_MAX);
    if (strict.kind === 'malformed' || JSON.stringify(strict.value) !== text) return null;
    value = strict.value;
  }
  if (!isObject(value)) return null;
  return isLine(value) ? (value as unknown as ExportLine) : null;
}
