/** `audit changes`: who changed how decisions are made, from an export. */
import { parseStrictJson, visible } from '@writecheck/contract';
import {
  type ChangeEntry,
  decodeBase64,
  digestOf,
  type Entry,
  isNotedChange,
  type LoggedPersonEntry,
} from '@writecheck/ledger';
import { entryIn, exportLinesOf } from './export-lines.ts';
import { sha256 } from './native-sha256.ts';
import { type Period, periodOf } from './period.ts';
import { print } from './print.ts';

/** Every other member describes the change. */
const NOT_DETAILS = new Set([
  'kind',
  'event',
  'log',
  'workspace',
  'timestamp',
  'by',
  'details',
  'loosened',
  'reasonDigest',
]);

type Changed = ChangeEntry | LoggedPersonEntry;
interface Found {
  readonly change: Changed;
  /** The stated reason, if the change has a record for it; otherwise empty. */
  readonly why: string;
}

export async function changesCommand(file: string, options: Period): Promise<void> {
  const isIn = periodOf(options);
  const changes: Found[] = [];
  for await (const line of exportLinesOf(file)) {
    const entry = entryIn(line);
    if (line.kind === 'entry' && entry !== null && isChanged(entry) && isIn(entry.timestamp))
      changes.push({ change: entry, why: whyOf(entry, line.record) });
  }
  // Replicas write to logs of their own.
  changes.sort(({ change: a }, { change: b }) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  for (const found of changes) print(lineOf(found));
  if (changes.length === 0) print('no changes in this export');
}

/** People count, because their roles say who may change what. */
function isChanged(entry: Entry): entry is Changed & Entry {
  return entry.kind === 'person' || isNotedChange(entry);
}

/** The reason of a freeze, a lift or a correction is in its record, until a prune erases them. */
function whyOf(change: Changed, record: string | undefined): string {
  if (!('reasonDigest' in change)) return '';
  if (record === undefined) return ', reason erased';
  const read = parseStrictJson(decodeBase64(record) ?? new Uint8Array());
  const { reason } = (read.kind === 'malformed' ? {} : (read.value ?? {})) as { readonly reason?: unknown };
  const isSaid =
    typeof reason === 'string' && digestOf(new TextEncoder().encode(reason), sha256) === change.reasonDigest;
  return isSaid
    ? `, reason "${visible(reason).replaceAll('"', '\\"')}"`
    : ', reason not the recorded one (verify the export)';
}

function lineOf({ change, why }: Found): string {
  const { timestamp, kind, by } = change;
  const what = kind === 'person' ? `person.${change.event}` : kind;
  const members = { ...change, ...(kind === 'person' ? change.details : {}) };
  const told = Object.entries(members)
    .filter(([name]) => !NOT_DETAILS.has(name))
    .map(([name, value]) => `${name} ${visible(typeof value === 'string' ? value : JSON.stringify(value))}`);
  const loosened = kind === 'policy.applied' && change.loosened ? ', a confirmed loosening' : '';
  const who = by === null ? 'its own time' : `${visible(by.kind)} ${visible(by.id)}`;
  return `${timestamp}  ${what}  by ${who}: ${told.join(', ')}${why}${loosened}`;
}
