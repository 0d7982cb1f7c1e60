/** `writecheck audit prove`, `key` and `archive`: for operators, directly on the store. */
import { statSync } from 'node:fs';
import { DAY_MS } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { parseLeaf } from '@writecheck/ledger';
import { LogRefused } from '@writecheck/service/features/audit/log-refused';
import { hasSigningKey, type LogSigner, loadSigner } from '@writecheck/service/features/audit/log-signer';
import { type Audit, openAudit } from '@writecheck/service/features/audit/open-audit';
import type { Flags } from '@writecheck/service/support/config/load-config';
import type { Config } from '@writecheck/service/support/config/settings';
import { ForkAlarm } from '@writecheck/store/append-guard';
import type { Store } from '@writecheck/store/port';
import { showProgress } from './show-progress.ts';
import { inWorkspace, onStore, print, type WorkspaceOption } from './store-commands.ts';

export async function proveCommand(id: string, options: WorkspaceOption): Promise<void> {
  await inWorkspace(options, async (store, workspace, config) => {
    const found = await store.findDecision(workspace, id);
    if (found === null)
      throw new CommandFailure(
        `there is no decision \`${id}\` in that workspace; check the id and --workspace`,
      );
    const { notary } = await openedAudit(config, store);
    const receipt = await notary.receiptFor(found);
    print(JSON.stringify(receipt, null, 2));
    const leaf = parseLeaf(found.leaf)!;
    process.stderr.write(
      `${leaf.decision} (${leaf.reason_code}) of ${leaf.timestamp}: entry ${receipt.index} of log \`${found.log}\`\n`,
    );
  });
}

export function keyCommand(file: string): void {
  print(signerFor({ data: '', signingKey: file }, '').line);
}

/** `setting` is what named the file, if it is not the service's own. */
export function signerFor(config: Pick<Config, 'data' | 'signingKey'>, setting?: string): LogSigner {
  try {
    return loadSigner(config, false, setting);
  } catch (error) {
    if (!(error instanceof LogRefused)) throw error;
    throw new CommandFailure(error.message);
  }
}

const DAYS_MAX = 36_500;

export async function archiveCommand(options: Flags & { readonly olderThan: string }): Promise<void> {
  const days = /^\d{1,5}$/.test(options.olderThan) ? Number(options.olderThan) : Number.NaN;
  if (!(days <= DAYS_MAX)) {
    throw new CommandFailure('--older-than must be a number of days, such as 90');
  }
  await onStore(options, async (store, { archive }) => {
    if (archive === null) throw new CommandFailure('name the archive with --archive or WRITECHECK_ARCHIVE');
    // A misspelt name, or a disk that is not mounted, would take the only copy of the records.
    if (archive.kind === 'folder' && !statSync(archive.folder, { throwIfNoEntry: false })?.isDirectory())
      throw new CommandFailure(
        `there is no folder \`${archive.folder}\`; create it, or mount the disk that it is on`,
      );
    const problem = await store.archiveProblem();
    if (problem !== null)
      throw new CommandFailure(
        `${problem}; what was archived before is elsewhere: name that place with --archive or WRITECHECK_ARCHIVE`,
      );
    const moved = await store.archive(Date.now() - days * DAY_MS, showProgress('archiving'));
    print(`archived ${entriesShown(moved)}; their hashes stay in the database`);
  });
}

export function entriesShown(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}

export async function openedAudit(
  config: Pick<Config, 'data' | 'signingKey' | 'databaseUrl'>,
  store: Store,
  isRestoring = false,
): Promise<Audit> {
  // A new key would be published beside the service's own, and would sign in its place.
  if (config.databaseUrl !== null && config.signingKey === null && !hasSigningKey(config.data)) {
    throw new CommandFailure(
      `there is no signing key in \`${config.data}\`; name its file with --signing-key, or its folder with --data`,
    );
  }
  try {
    return await openAudit(config, store, Date.now(), { isRestoring, alarm: new ForkAlarm() });
  } catch (error) {
    if (!(error instanceof LogRefused)) throw error;
    throw new CommandFailure(error.message);
  }
}
