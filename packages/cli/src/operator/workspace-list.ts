/** `writecheck workspace list`: every workspace with what an operator bills and cleans up by. */
import { calendarMonth, isoTime, visible } from '@writecheck/contract';
import type { Flags } from '@writecheck/service/support/config/load-config';
import type { WorkspaceFigures } from '@writecheck/store/port/workspaces';
import { onStore, print } from './store-commands.ts';

export async function listWorkspacesCommand(flags: Flags & { readonly json: boolean }): Promise<void> {
  const { json, ...place } = flags;
  await onStore(place, async (store) => {
    const { period } = calendarMonth(Date.now());
    const workspaces = await store.workspaceFigures(period);
    if (json) return print(JSON.stringify({ period, workspaces: workspaces.map(shown) }, null, 2));
    for (const line of table([HEAD, ...workspaces.map(cells)])) print(line);
  });
}

function shown({ createdAtMs, lastUsedAtMs, ...figures }: WorkspaceFigures) {
  return {
    ...figures,
    createdAt: isoTime(createdAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : isoTime(lastUsedAtMs),
  };
}

const HEAD = ['id', 'state', 'created', 'by', 'live keys', 'last use', 'decisions', 'stored', 'name'];
/** Numbers end at the same column. */
const NUMBERS = new Set(['decisions', 'stored']);

function cells(figures: WorkspaceFigures): readonly string[] {
  const { id, name, state, signedUp, liveGranted, decisions, storedBytes } = figures;
  const { createdAt, lastUsedAt } = shown(figures);
  return [
    id,
    state,
    createdAt.slice(0, 'yyyy-mm-dd'.length),
    signedUp ? 'sign-up' : 'operator',
    liveGranted ? 'granted' : '-',
    lastUsedAt?.slice(0, 'yyyy-mm-dd'.length) ?? 'never',
    String(decisions),
    sized(storedBytes),
    visible(name),
  ];
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function sized(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 2 ** (10 * power);
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}

/** The last column is as long as it is. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = HEAD.map((_, column) => rows.reduce((most, row) => Math.max(most, row[column]!.length), 0));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        if (column === HEAD.length - 1) return cell;
        return NUMBERS.has(HEAD[column]!) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!);
      })
      .join('  '),
  );
}
