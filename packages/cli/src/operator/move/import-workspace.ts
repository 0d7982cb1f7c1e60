/** `writecheck workspace import`: imports a workspace from the file of its move, all or nothing. */
import { keysOf, linesOf } from '@writecheck/audit';
import { CommandFailure } from '@writecheck/contract/command';
import { decodeBase64, leafHash, parseEntry, parseExportLine, parseNote } from '@writecheck/ledger';
import type { Audit } from '@writecheck/service/features/audit/open-audit';
import type { Flags } from '@writecheck/service/support/config/load-config';
import { openSession, type Session } from '@writecheck/store/move/session';
import { ArrivingLog } from '@writecheck/store/move/write-log';
import { beginArrival, refusal, writeRow } from '@writecheck/store/move/write-workspace';
import type { Store } from '@writecheck/store/port';
import { sha256 } from '@writecheck/store/sha256';
import { arrivingFrom } from '@writecheck/store/tables/moves';
import { openedAudit } from '../audit-store.ts';
import { showProgress } from '../show-progress.ts';
import { onStore, print } from '../store-commands.ts';
import { operator } from '../the-operator.ts';
import { MoveDigest, parseMoveLine } from './move-file.ts';
import { type VerifiedMove, verifyMove } from './verify-move.ts';

export interface ImportWorkspaceOptions extends Flags {
  readonly keys: readonly string[];
  readonly dryRun: boolean;
}

const NOTHING = new Uint8Array(0);

export async function importWorkspaceCommand(file: string, options: ImportWorkspaceOptions): Promise<void> {
  const keys = await keysOf(options.keys);
  const move = await verifyMove(file, keys);
  const { head, rows, verdict } = move;
  await onStore(options, async (store, config) => {
    // Its own key exists and is published before anything of another store.
    const audit = await openedAudit(config, store);
    const isStaged = (await store.findMove(head.id))?.to === arrivingFrom(move.digest);
    if (options.dryRun) {
      await tryMove(store, move);
      print(`${head.id} \`${head.name}\` would move here (move ${head.move}):`);
      for (const [table, count] of rows) print(`  ${table}: ${count}`);
      for (const { log, size } of verdict.logs) print(`  log \`${log}\`: ${size} entries`);
      print('nothing was changed');
      return;
    }
    if (head.isRehearsal)
      throw new CommandFailure(
        `\`${file}\` is a rehearsal: the workspace still lives where it was; add --dry-run`,
      );
    const isFilledIn = isStaged || (await stage(store, audit, file, move));
    // The index on SQLite only moves forward, and these entries come before all others.
    if (isFilledIn || store.logPlace.kind === 'sqlite')
      await store.rebuildIndex(showProgress('rebuilding the search index'));
    const atMs = Math.max(Date.now(), await store.newestAtMs());
    const outcome = await store.receiveWorkspace({
      workspace: head.id,
      digest: move.digest,
      checkpoints: [...move.checkpoints.values()],
      by: operator(),
      atMs,
    });
    if (outcome.kind === 'not_arriving')
      throw new CommandFailure('another process took it in or moved it meanwhile; see `workspace list`');
    await audit.sign();
    print(
      `${head.id} \`${head.name}\` lives here now, with its keys, people and ${verdict.counts.decisions} decisions`,
      'people sign in again; webhooks wait for `webhooks reseal`, or until each is rotated; allows from before are not redeemed',
    );
  });
}

async function tryMove(store: Store, { head }: VerifiedMove): Promise<void> {
  const session = await openSession(store.logPlace, 'reading');
  try {
    await requireWelcome(session, head);
  } finally {
    await session.close();
  }
}

async function requireWelcome(session: Session, head: VerifiedMove['head']): Promise<void> {
  const why = await refusal(session, head);
  if (why !== null) throw new CommandFailure(`${head.id} is refused, nothing was changed: ${why}`);
}

/**
 * Everything in one transaction; the workspace stays closed. Returns whether entries were added to already
 * indexed parts.
 */
async function stage(store: Store, audit: Audit, file: string, move: VerifiedMove): Promise<boolean> {
  const session = await openSession(store.logPlace, 'writing');
  let isFilledIn = false;
  try {
    await requireWelcome(session, move.head);
    await beginArrival(session, move.head, move.digest);
    const logs = await writeLines(session, file, move);
    for (const [log, arriving] of logs) {
      await arriving.sign(withOwnSignature(move.checkpoints.get(log)!, audit));
      isFilledIn ||= arriving.filledIn > 0;
    }
    await session.commit();
  } finally {
    await session.close();
  }
  return isFilledIn;
}

async function writeLines(
  session: Session,
  file: string,
  { head, digest, checkpoints }: VerifiedMove,
): Promise<ReadonlyMap<string, ArrivingLog>> {
  const seen = new MoveDigest();
  const logs = new Map<string, ArrivingLog>();
  for (const log of checkpoints.keys()) logs.set(log, await ArrivingLog.open(session, log));
  for await (const { text } of linesOf(file, 'importing')) {
    const line = parseMoveLine(text);
    if (line === null || line.kind === 'end') break;
    seen.add(`${text}\n`);
    if (line.kind === 'row') await writeRow(session, head.id, line);
    if (line.kind === 'log') await writeLogLine(logs, text);
  }
  for (const arriving of logs.values()) await arriving.finish();
  // INVARIANT: the import commits exactly what it verified, although it reads the file twice.
  if (seen.finish() !== digest)
    throw new CommandFailure(`\`${file}\` changed while it was read; nothing was changed`);
  return logs;
}

async function writeLogLine(logs: ReadonlyMap<string, ArrivingLog>, text: string): Promise<void> {
  const line = parseExportLine(text);
  if (line?.kind === 'hash')
    await logs
      .get(line.log)!
      .add({ hash: decodeBase64(line.hash)!, leaf: NOTHING, record: NOTHING, atMs: null });
  if (line?.kind !== 'entry') return;
  const leaf = decodeBase64(line.leaf)!;
  const entry = parseEntry(leaf);
  const { timestamp } = entry?.kind === 'decision' ? entry.leaf : (entry ?? { timestamp: null });
  const record = line.record === undefined ? NOTHING : decodeBase64(line.record)!;
  const atMs = timestamp === null ? null : Date.parse(timestamp);
  await logs.get(line.log)!.add({ hash: leafHash(leaf, sha256), leaf, record, atMs });
}

/** So that a verifier that trusts only this store's key can verify the logs of another store. */
function withOwnSignature(note: string, { signer }: Audit): string {
  const { text } = parseNote(note)!;
  const own = signer.note(text);
  const line = own.slice(text.length + 1);
  return note.includes(line) ? note : note + line;
}
