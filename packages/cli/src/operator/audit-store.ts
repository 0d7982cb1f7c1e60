/** `writecheck audit prove` and `key`: for operators, directly on the store. */
import { CommandFailure } from '@writecheck/contract/command';
import { parseLeaf } from '@writecheck/ledger';
import { LogRefused } from '@writecheck/service/features/audit/log-refused';
import { hasSigningKey, type LogSigner, loadSigner } from '@writecheck/service/features/audit/log-signer';
import { type Audit, openAudit } from '@writecheck/service/features/audit/open-audit';
import type { Config } from '@writecheck/service/support/config/settings';
import { ForkAlarm } from '@writecheck/store/append-guard';
import type { Store } from '@writecheck/store/port';
import { inWorkspace, print, type WorkspaceOption } from './store-commands.ts';

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
