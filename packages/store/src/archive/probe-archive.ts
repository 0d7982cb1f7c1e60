/** Checks that the archive that the database relies on exists, before anybody needs it. */
import { TILE_WIDTH } from '@writecheck/ledger/log';
import { decodeSegment } from '../log/segment.ts';
import { StoreUnavailable } from '../port/failure.ts';
import { type Archive, withArchive } from './archive.ts';
import type { LogRows } from './log-rows.ts';
import { tilesToArchive } from './write-archive.ts';

/** Reads the newest archived part of each log from the archive, as a reader would. */
export async function archiveProblem(rows: Omit<LogRows, 'recut'>, archive: Archive): Promise<string | null> {
  for (const { log } of await rows.logs()) {
    const { from } = await tilesToArchive(rows, log);
    const tile = { log, index: from - 1 };
    const [row] = tile.index === 0 ? [] : await rows.storedRows(log, tile.index * TILE_WIDTH, 1);
    if (row === undefined) continue;
    archive.forget(tile);
    try {
      await withArchive(archive, () =>
        decodeSegment({ position: row.firstIndex, count: row.count, body: row.body }),
      );
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable) || thrown.why !== 'archive') throw thrown;
      return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
    }
  }
  return null;
}
