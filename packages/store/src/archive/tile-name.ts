/** The names of an archive's files: those of C2SP tlog-tiles, in a folder for each log. */
import { TILE_WIDTH } from '@writecheck/ledger/log';

export interface TileId {
  readonly log: string;
  readonly index: number;
}

const GROUP = 1_000;
const GROUP_DIGITS = 3;

/** Such as `log-4f…/tile/entries/x001/x234/067`; `0` are leaf hashes. */
export function tileName(kind: 'entries' | '0', { log, index }: TileId): string {
  const groups: string[] = [];
  for (let rest = index; ; rest = Math.floor(rest / GROUP)) {
    groups.unshift(String(rest % GROUP).padStart(GROUP_DIGITS, '0'));
    if (rest < GROUP) break;
  }
  const last = groups.pop()!;
  return [log, 'tile', kind, ...groups.map((group) => `x${group}`), last].join('/');
}

export function tileOf(log: string, leafIndex: number): TileId {
  return { log, index: Math.floor(leafIndex / TILE_WIDTH) };
}
