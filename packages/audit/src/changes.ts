/** `audit changes`: who changed how decisions are made, from an export. */
import { visible } from '@writecheck/contract';
import {
  type ChangeEntry,
  decodeBase64,
  type Entry,
  isNotedChange,
  type LoggedPersonEntry,
  parseEntry,
} from '@writecheck/ledger';
import { exportLinesOf } from './export-lines.ts';
import { type Period, periodOf } from './period.ts';
import { print } from './print.ts';

/** Every other member says what was changed. */
const ASIDE = new Set(['kind', 'event', 'log', 'workspace', 'timestamp', 'by', 'details', 'loosened']);

type Changed = ChangeEntry | LoggedPersonEntry;

export async function changesCommand(file: string, options: Period): Promise<void> {
  const isIn = periodOf(options);
  const changes: Changed[] = [];
  for await (const line of exportLinesOf(file)) {
    const bytes = line.kind === 'entry' ? decodeBase64(line.leaf) : null;
    const entry = bytes === null ? null : parseEntry(bytes);
    if (entry !== null && isChanged(entry) && isIn(entry.timestamp)) changes.push(entry);
  }
  // Replicas write to logs of their own.
  changes.sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  for (const change of changes) print(lineOf(change));
  if (changes.length === 0) print('no changes in this export');
}

/** People count, because their roles say who may change what. */
function isChanged(entry: Entry): entry is Changed & Entry {
  return entry.kind === 'person' || isNotedChange(entry);
}

function lineOf(change: Changed): string {
  const { timestamp, kind, by } = change;
  const what = kind === 'person' ? `person.${change.event}` : kind;
  const members = { ...change, ...(kind === 'person' ? change.details : {}) };
  const told = Object.entries(members)
    .filter(([name]) => !ASIDE.has(name))
    .map(([name, value]) => `${name} ${visible(typeof value === 'string' ? value : JSON.stringify(value))}`);
  const loosened = kind === 'policy.applied' && change.loosened ? ', a confirmed loosening' : '';
  const who = by === null ? 'its own time' : `${visible(by.kind)} ${visible(by.id)}`;
  return `${timestamp}  ${what}  by ${who}: ${told.join(', ')}${loosened}`;
}
