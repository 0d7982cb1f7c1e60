/** `writecheck audit prove`, `prune` and `restore`: for operators, directly on the store. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { continuationBytes, parseLeaf } from '@writecheck/ledger';
import { dropKeptCheckpoint, keepCheckpointBeside } from '../../audit/kept-checkpoint.ts';
import { LogRefused } from '../../audit/log-refused.ts';
import { hasSigningKey } from '../../audit/log-signer.ts';
import { type Audit, openAudit } from '../../audit/open-audit.ts';
import type { Flags } from '../../config/load-config.ts';
import type { Config } from '../../config/settings.ts';
import { moment } from '../../fields/body-fields.ts';
import type { LogHead, Store } from '../../store/port.ts';
import { CommandFailure } from '../fail.ts';
import { cancelApprovals, revokeApprovals } from './restore-reviews.ts';
import { onStore, theWorkspace } from './store-commands.ts';

export async function proveCommand(
  id: string,
  options: Flags & { readonly workspace?: string },
): Promise<void> {
  await onStore(options, async (store, config) => {
    const workspace = await theWorkspace(store, options.workspace);
    const found = await store.findDecision(workspace, id);
    if (found === null) throw new CommandFailure(`there is no decision \`${id}\` in that workspace`);
    const { notary } = await opened(config, store);
    const receipt = await notary.receiptFor(found);
    print(JSON.stringify(receipt, null, 2));
    const leaf = parseLeaf(found.leaf)!;
    process.stderr.write(
      `${leaf.decision} (${leaf.reason_code}) of ${leaf.timestamp}: entry ${receipt.index} of log \`${found.log}\`\n`,
    );
  });
}

export interface PruneOptions extends Flags {
  readonly before?: string;
  readonly objectRef?: string;
  readonly workspace?: string;
  readonly yes: boolean;
}

export async function pruneCommand(options: PruneOptions): Promise<void> {
  const { before, objectRef, yes } = options;
  if (before === undefined && objectRef === undefined) {
    throw new CommandFailure('choose what to prune with --before or --object-ref');
  }
  const beforeMs = before === undefined ? undefined : beforeMsOf(before);
  await onStore(options, async (store) => {
    // An object's name may mean a different object in another workspace.
    const isOfOne = objectRef !== undefined || options.workspace !== undefined;
    const workspace = isOfOne ? await theWorkspace(store, options.workspace) : undefined;
    const query = {
      ...(workspace === undefined ? {} : { workspace }),
      ...(beforeMs === undefined ? {} : { beforeMs }),
      ...(objectRef === undefined ? {} : { objectRef }),
    };
    if (!yes) {
      const count = entriesShown(await store.prune(query, true));
      throw new CommandFailure(
        `this would empty ${count}, which cannot be undone; nothing was changed, add --yes to do it`,
      );
    }
    print(`pruned ${entriesShown(await store.prune(query))}; their hashes stay in the log`);
  });
}

function entriesShown(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}

function beforeMsOf(before: string): number {
  const read = moment.read(before);
  if ('fault' in read) throw new CommandFailure(`--before ${read.fault}`);
  if (read.value > Date.now()) throw new CommandFailure('--before must not be in the future');
  return read.value;
}

export async function restoreCommand(options: Flags): Promise<void> {
  let isContinued = false;
  await onStore(options, async (store, config) => {
    const { notary } = await opened(config, store, null);
    const open = (await store.logs()).filter(({ log, isOpen = log === store.log }) => isOpen);
    const grown = open.filter(({ size }) => size > 0);
    if (grown.length === 0) {
      dropKeptCheckpoint(config.data);
      print(`log \`${store.log}\` is empty: there is nothing to continue, the service can start`);
      return;
    }
    await revokeApprovals(store, Date.now());
    const continued: string[] = [];
    for (const head of grown) continued.push(await continueOne(store, config, notary, head));
    await store.rebuildIndex();
    print(
      ...continued,
      'later entries are not in this backup: anyone who kept a later checkpoint will see that they are missing',
    );
    isContinued = true;
  });
  if (!isContinued) return;
  // Only a reopened store appends to the log that continues the old one.
  await onStore(options, async (store) => {
    const count = await cancelApprovals(store, Math.max(Date.now(), await store.newestAtMs()));
    if (count === 0) return;
    const reviews = count === 1 ? 'approved review' : 'approved reviews';
    print(`cancelled ${count} ${reviews}: the backup does not show which were used after it`);
  });
}

async function continueOne(
  store: Store,
  config: Pick<Config, 'data'>,
  notary: Audit['notary'],
  head: LogHead,
): Promise<string> {
  const checkpoint = (await notary.newest(head.log))!;
  const log = `log-${randomBytes(8).toString('hex')}`;
  const atMs = Math.max(Date.now(), head.newestAtMs);
  const timestamp = new Date(atMs).toISOString();
  const leaf = continuationBytes({ kind: 'continuation', log, timestamp, checkpoint: checkpoint.note });
  const from = { log: head.log, size: checkpoint.size };
  if (!(await store.continueLog({ log, leaf, atMs, from }))) {
    throw new CommandFailure('the log has grown in the meantime; stop the service, then try again');
  }
  const continued = (await notary.newest(log))!;
  if (existsSync(config.data)) await keepCheckpointBeside(config.data, continued.note);
  return `log \`${log}\` continues log \`${head.log}\` from its checkpoint of ${checkpoint.size} entries`;
}

async function opened(
  config: Pick<Config, 'data' | 'signingKey' | 'databaseUrl'>,
  store: Store,
  kept?: null,
): Promise<Audit> {
  // A new key would be published beside the service's own, and would sign in its place.
  if (config.databaseUrl !== null && config.signingKey === null && !hasSigningKey(config.data)) {
    throw new CommandFailure(
      `there is no signing key in \`${config.data}\`; name its file with --signing-key, or its folder with --data`,
    );
  }
  try {
    return await openAudit(config, store, Date.now(), kept);
  } catch (error) {
    if (!(error instanceof LogRefused)) throw error;
    throw new CommandFailure(error.message);
  }
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
