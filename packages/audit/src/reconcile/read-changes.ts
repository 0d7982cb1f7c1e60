/** Reads changes from NDJSON or CSV; an unreadable line is reported, and reading continues. */
import { parseInstant, visible } from '@writecheck/contract';
import { undetermined } from '../fail.ts';
import { CHANGE_MEMBERS, type Change, type ChangeMember, type UnreadableLine } from './change.ts';
import type { Columns } from './columns.ts';
import { csvRecords, decoded, isEmpty } from './csv-records.ts';
import { readFlatJson } from './flat-json.ts';
import { type RawLine, rawLines } from './raw-lines.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const OPENING_BRACE = 0x7b;
/** The digits of a fraction that are finer than a millisecond and still compared. */
const FINER_DIGITS = [3, 12] as const;

const MAY_BE_MISSING: ReadonlySet<ChangeMember> = new Set(['actor', 'operation']);
/** Members that an operation may omit. */
const OF_FIELDS: ReadonlySet<ChangeMember> = new Set(['objectType', 'field', 'newValue']);

/** A text, null for a member that is not text, undefined for one that is missing. */
type Lookup = (member: ChangeMember) => string | null | undefined;

/** `name` is what errors call the file. */
export async function* readChanges(
  chunks: AsyncIterable<Buffer>,
  columns: Columns,
  name: string,
): AsyncGenerator<Change | UnreadableLine> {
  const lines = rawLines(chunks);
  const { done, value } = await lines.next();
  if (done) throw undetermined(`${name} is empty: its first line must name the columns`);
  const first = withoutMark(value);
  const all = from(first, lines);
  if (first.bytes?.[0] === OPENING_BRACE) yield* jsonChanges(all, columns);
  else yield* csvChanges(all, columns, name);
}

function withoutMark(line: RawLine): RawLine {
  const isMarked = line.bytes?.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) === true;
  return isMarked ? { ...line, bytes: line.bytes!.subarray(BYTE_ORDER_MARK.length) } : line;
}

async function* from(first: RawLine, rest: AsyncIterable<RawLine>): AsyncGenerator<RawLine> {
  yield first;
  yield* rest;
}

async function* jsonChanges(
  lines: AsyncIterable<RawLine>,
  columns: Columns,
): AsyncGenerator<Change | UnreadableLine> {
  for await (const line of lines) {
    if (isEmpty(line)) continue;
    const text = line.bytes === null ? null : decoded(line.bytes);
    if (text === null) {
      const message = line.bytes === null ? 'the line is too long' : 'the line is not valid UTF-8';
      yield { kind: 'unreadable', line: line.number, message };
      continue;
    }
    const read = readFlatJson(text);
    if (read.kind === 'malformed') {
      yield { kind: 'unreadable', line: line.number, message: read.message };
      continue;
    }
    yield changeOf(line.number, (member) => {
      const source = columns[member];
      if (source === undefined) return undefined;
      return source.kind === 'value' ? source.value : read.members.get(source.name);
    });
  }
}

async function* csvChanges(
  lines: AsyncIterable<RawLine>,
  columns: Columns,
  name: string,
): AsyncGenerator<Change | UnreadableLine> {
  let header: { readonly width: number; readonly places: ReadonlyMap<ChangeMember, number> } | null = null;
  for await (const record of csvRecords(lines)) {
    if (header === null) {
      if (record.kind === 'unreadable') {
        throw undetermined(`${name}: line ${record.line} must name the columns: ${record.message}`);
      }
      header = { width: record.cells.length, places: placesOf(record.cells, columns, name) };
      continue;
    }
    if (record.kind === 'unreadable') {
      yield record;
      continue;
    }
    const { line, cells } = record;
    const { width, places } = header;
    if (cells.length !== width) {
      const message = `the line has ${cells.length} columns instead of ${width}`;
      yield { kind: 'unreadable', line, message };
      continue;
    }
    yield changeOf(line, (member) => {
      const source = columns[member];
      if (source?.kind === 'value') return source.value;
      const place = places.get(member);
      return place === undefined ? undefined : cells[place];
    });
  }
  if (header === null) throw undetermined(`${name} is empty: its first line must name the columns`);
}

function placesOf(
  header: readonly string[],
  columns: Columns,
  name: string,
): ReadonlyMap<ChangeMember, number> {
  // The separators of spreadsheets in many countries.
  if (header.length === 1 && /[;\t]/.test(header[0]!)) {
    throw undetermined(`${name} must separate its columns with commas; its first line has none`);
  }
  const places = new Map<ChangeMember, number>();
  for (const member of CHANGE_MEMBERS) {
    const source = columns[member];
    if (source === undefined || source.kind === 'value') continue;
    const place = header.indexOf(source.name);
    if (place !== header.lastIndexOf(source.name)) {
      throw undetermined(`${name} names the column \`${visible(source.name)}\` twice`);
    }
    if (place !== -1) places.set(member, place);
    else if (member !== 'actor' && !(columns.operation !== undefined && OF_FIELDS.has(member))) {
      throw undetermined(
        `${name} has no column \`${visible(source.name)}\`: its first line must name the columns; if it does, say in --columns which one holds \`${member}\``,
      );
    }
  }
  return places;
}

function changeOf(line: number, lookup: Lookup): Change | UnreadableLine {
  const texts: Partial<Record<ChangeMember, string>> = {};
  for (const member of CHANGE_MEMBERS) {
    const text = lookup(member);
    if (text === null) return unreadable(line, `\`${member}\` must be text`);
    if (text !== undefined) texts[member] = text;
  }
  const { actor = '', operation = '' } = texts;
  const missing = CHANGE_MEMBERS.find(
    (member) =>
      texts[member] === undefined &&
      !MAY_BE_MISSING.has(member) &&
      !(operation !== '' && OF_FIELDS.has(member)),
  );
  if (missing !== undefined) return unreadable(line, `\`${missing}\` is missing`);
  const { time = '', objectType = '', objectRef = '', field = '', newValue = '' } = texts;
  const instant = parseInstant(time);
  if (instant === null) return unreadable(line, '`time` is not an RFC 3339 date-time');
  if (!instant.hasOffset) return unreadable(line, '`time` has no offset');
  const finer = instant.fraction.slice(...FINER_DIGITS);
  const beyondMs = Number(finer.padEnd(FINER_DIGITS[1] - FINER_DIGITS[0], '0'));
  const at = { ms: instant.ms, beyondMs };
  return { kind: 'change', line, at, objectType, objectRef, field, newValue, actor, operation };
}

function unreadable(line: number, message: string): UnreadableLine {
  return { kind: 'unreadable', line, message };
}
