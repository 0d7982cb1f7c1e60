/** `writecheck workspace export`: closes a workspace for good in this store, and writes all of it to a file. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, LATER_MS_MAX } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { compile } from '@writecheck/engine';
import { isLogName } from '@writecheck/ledger';
import { exportLog } from '@writecheck/service/features/audit/export-log';
import type { Audit } from '@writecheck/service/features/audit/open-audit';
import { storedDocuments } from '@writecheck/service/features/policies/stored-documents';
import { calledAs } from '@writecheck/service/support/called-as';
import type { Flags } from '@writecheck/service/support/config/load-config';
import { workspaceRows } from '@writecheck/store/move/read-workspace';
import { openSession } from '@writecheck/store/move/session';
import { counterPlace, type Store, type Workspace } from '@writecheck/store/port';
import { openedAudit } from '../audit-store.ts';
import { onStore, print } from '../store-commands.ts';
import { operator } from '../the-operator.ts';
import { MoveDigest, type MoveHead, type MoveLine, movedText } from './move-file.ts';

/** Another process may still accept a key from its cache for this long. */
const CACHES_END_MS = 1_000;
/** The longest window of a limit, and a day to spare. */
const WINDOW_MS_MAX = 32 * DAY_MS;

export interface ExportWorkspaceOptions extends Flags {
  readonly to: string;
  readonly out: string;
  readonly dryRun: boolean;
}

export async function exportWorkspaceCommand(id: string, options: ExportWorkspaceOptions): Promise<void> {
  const { to, out, dryRun } = options;
  if (!isLogName(to))
    throw new CommandFailure('--to must be what `workspace address` prints on the store that takes it in');
  if (existsSync(out)) throw new CommandFailure(`\`${out}\` already exists; name another file`);
  await onStore(options, async (store, config) => {
    const workspace = await store.findWorkspace(id);
    if (workspace === null) throw new CommandFailure(`there is no workspace \`${id}\``);
    const audit = await openedAudit(config, store);
    // Does everything that could fail before the workspace is closed.
    await countersOf(store, id);
    const file = openFile(out);
    try {
      const move = dryRun ? await nextMove(store, id, to) : await seal(store, id, to);
      // INVARIANT: listed again, because a policy may have changed until the workspace was closed.
      const counters = await countersOf(store, id);
      const head = headOf(workspace, move, to, dryRun);
      await writeFile(file, head, store, audit, counters);
      renameSync(file.draft, out);
    } finally {
      closeSync(file.handle);
      rmSync(file.draft, { force: true });
    }
    print(
      dryRun
        ? `\`${out}\` is a rehearsal: ${id} still lives here. Try it with \`workspace import ${out} --dry-run\``
        : `wrote \`${out}\`, which only the store of log \`${to}\` accepts. Import it there, then delete it: it contains names of people and hashes of keys`,
    );
  });
}

export async function addressCommand(flags: Flags): Promise<void> {
  await onStore(flags, async (store) => print(store.log));
}

async function nextMove(store: Store, id: string, to: string): Promise<number> {
  const known = (await store.findMove(id))!;
  if (known.to !== null) throw movedBefore(id, known.to, to);
  return known.move + 1;
}

/** May be repeated: a workspace that is closed for the same move stays closed. */
async function seal(store: Store, workspace: string, to: string): Promise<number> {
  const atMs = Math.max(Date.now(), await store.newestAtMs());
  const outcome = await store.sealWorkspace({ workspace, to, by: operator(), atMs });
  switch (outcome.kind) {
    case 'no_such_workspace':
      throw new CommandFailure(`there is no workspace \`${workspace}\``);
    case 'lives_there':
      throw new CommandFailure(
        `log \`${to}\` is of this store, where the workspace lives already; nothing was changed`,
      );
    case 'sealed_before':
      if (outcome.to !== to) throw movedBefore(workspace, outcome.to, to);
      print(`${workspace} was closed before; the file is written again`);
      return outcome.move;
    case 'sealed':
      print(`${workspace} is closed here: its keys and people get 401 from now on`);
      await sleep(CACHES_END_MS);
      return outcome.move;
  }
}

function movedBefore(workspace: string, to: string, wanted: string): CommandFailure {
  if (to === wanted)
    return new CommandFailure(`${workspace} is closed for this move already; leave out --dry-run`);
  return new CommandFailure(
    isLogName(to)
      ? `${workspace} has moved to the store of log \`${to}\`; only that store may import it. To undo the move, import it there and move it back`
      : `${workspace} is arriving ${to}; finish that import first`,
  );
}

function headOf(workspace: Workspace, move: number, to: string, isRehearsal: boolean): MoveHead {
  const { id, name, createdAtMs, liveGranted } = workspace;
  return {
    kind: 'move',
    version: 'writecheck.move.v1',
    id,
    name,
    createdAtMs,
    liveGranted,
    move,
    to,
    isRehearsal,
  };
}

interface DraftFile {
  readonly draft: string;
  readonly handle: number;
}

/** Writes under another name until the file is complete. */
function openFile(out: string): DraftFile {
  const draft = `${out}.part`;
  try {
    rmSync(draft, { force: true });
    return { draft, handle: openSync(draft, 'wx', 0o600) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`\`${out}\` cannot be written (${code}); nothing was changed`);
  }
}

async function writeFile(
  { handle }: DraftFile,
  head: MoveHead,
  store: Store,
  { notary, signer }: Audit,
  counters: readonly string[],
): Promise<void> {
  const digest = new MoveDigest();
  const write = (text: string): void => {
    digest.add(text);
    writeSync(handle, text);
  };
  const line = (value: MoveLine): string => `${JSON.stringify(value)}\n`;
  write(line(head));
  const session = await openSession(store.logPlace, 'reading');
  try {
    for await (const row of workspaceRows(session, head.id, counters)) write(line({ kind: 'row', ...row }));
  } finally {
    await session.close();
  }
  for await (const lines of exportLog({ store, notary }, { workspace: head.id })) write(lines);
  writeSync(handle, line({ kind: 'end', note: signer.note(movedText(head, digest.finish())) }));
  fsyncSync(handle);
}

/** INVARIANT: each limit that may have a draw in an open window is included, or nothing moves. */
async function countersOf(store: Store, workspace: string): Promise<readonly string[]> {
  const nowMs = Math.max(Date.now(), await store.newestAtMs());
  const counters = new Set<string>();
  let replacedMs = Number.POSITIVE_INFINITY;
  for (const { revision, createdAtMs } of await store.listPolicies(workspace)) {
    const hasEnded = replacedMs + WINDOW_MS_MAX + LATER_MS_MAX < nowMs;
    replacedMs = createdAtMs;
    if (hasEnded) continue;
    const documents = storedDocuments((await store.findPolicy(workspace, revision))!.documents);
    const compiled = documents === null ? null : compile(documents);
    if (compiled === null || compiled.kind === 'invalid')
      throw new CommandFailure(`policy revision ${revision} cannot be read, so its limits are not known`);
    for (const { id: limitId, counter } of compiled.snapshot.limits) {
      for (const keyKind of ['development', 'live'] as const)
        counters.add(counterPlace({ workspace, keyKind, limitId, counter }));
    }
  }
  const [anywhere] = counters.size === 0 ? [] : await store.drawsAt(['00']);
  const endMs = (anywhere?.restoredMs ?? Number.NEGATIVE_INFINITY) + WINDOW_MS_MAX;
  if (endMs > nowMs)
    throw new CommandFailure(
      `this store was restored from a backup, and limits of this workspace may count as used up until ${new Date(endMs).toISOString()}; move it after that, or stop all replicas and run \`${calledAs()} audit restore --keep-limits --no-freeze\` first, which counts them on from the backup`,
    );
  return [...counters];
}
