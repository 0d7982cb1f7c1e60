/** `writecheck audit prune`: finds records by age, id, object, key or text, and erases them with a trace in the log. */
import { moment, writtenText } from '@writecheck/api';
import { given, visible } from '@writecheck/contract';
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import { readRecord } from '@writecheck/ledger';
import { newId } from '@writecheck/service/support/ids/new-id';
import type { Prunable, PruneQuery, Store } from '@writecheck/store/port';
import { entriesShown } from './audit-store.ts';
import { showProgress } from './show-progress.ts';
import { onStore, print, theWorkspace, type WorkspaceOption } from './store-commands.ts';
import { operator } from './the-operator.ts';

export interface PruneOptions extends WorkspaceOption {
  readonly before?: string;
  readonly decision?: readonly string[];
  readonly objectRef?: string;
  readonly key?: string;
  readonly text?: string;
  readonly reason?: string;
  readonly yes: boolean;
}

const REASON = writtenText(1, 500);
const DECISION_ID = /^dec_[0-9a-f]{32}$/;
/** Shorter texts match too much. */
const TEXT_CHARACTERS_MIN = 3;
/** More are counted, but not listed. */
const LISTED_MAX = 1_000;

export async function pruneCommand(options: PruneOptions): Promise<void> {
  const { yes, reason } = options;
  const query = queryOf(options);
  await onStore(options, async (store) => {
    const workspace = await workspaceOf(store, options);
    const found = await store.findPrunable({ ...query, ...given({ workspace }) }, showProgress('searching'));
    if (found.only !== null && found.only.decisions.size + found.only.reviews.size === 0) {
      printKept(found);
      const why = found.kept.length > 0 ? 'whatever matches is still needed' : 'no decision matches';
      throw new CommandFailure(`${why}; nothing was erased`);
    }
    const entries = entriesShown([...found.counts.values()].reduce((sum, each) => sum + each.entries, 0));
    if (!yes) {
      await printFound(store, found);
      throw new CommandFailure(
        `this would empty ${entries}, which cannot be undone; nothing was changed, add --yes and --reason to do it`,
      );
    }
    const atMs = Math.max(Date.now(), await store.newestAtMs());
    const erasure = { id: newId('era_', atMs), by: operator(), reason: reason!, atMs };
    const pruned = await store.prune(found, erasure, showProgress('erasing'));
    printKept(found);
    print(
      `pruned ${entriesShown(pruned)} as ${erasure.id}; their hashes stay in the log, which says who erased them and why`,
    );
    // Retention erases the rest the next time; an operator who answers a person must know that something is
    // left.
    if (found.only !== null && found.kept.length > 0)
      throw new CommandFailure('not all of it is erased: see the lines above, then run this again');
  });
}

function queryOf({ before, decision, objectRef, key, text, reason, yes }: PruneOptions): PruneQuery {
  const faults: string[] = [];
  if ([before, decision, objectRef, key, text].every((each) => each === undefined))
    faults.push('choose what to prune with --before, --decision, --object-ref, --key or --text');
  const read = before === undefined ? null : moment.read(before);
  if (read !== null && 'fault' in read) faults.push(`--before ${read.fault}`);
  if (read !== null && 'value' in read && read.value > Date.now())
    faults.push('--before must not be in the future');
  for (const id of decision ?? [])
    if (!DECISION_ID.test(id))
      faults.push(`--decision must be the id of a decision, such as dec_0190…, not \`${id}\``);
  if (text !== undefined && [...text].length < TEXT_CHARACTERS_MIN)
    faults.push(`--text must have at least ${TEXT_CHARACTERS_MIN} characters`);
  const why = REASON.read(reason);
  if (yes && 'fault' in why)
    faults.push(`--reason ${why.fault}; the log keeps it, so do not name a person in it`);
  if (faults.length > 0) throw new CommandFailure(listFaults('nothing was pruned:', faults));
  const beforeMs = read !== null && 'value' in read ? read.value : undefined;
  return given({ beforeMs, decisionIds: decision, objectRef, keyId: key, text });
}

/** Only age may select every workspace: an object's name may mean a different object in another workspace. */
async function workspaceOf(
  store: Store,
  { workspace, decision, objectRef, key, text }: PruneOptions,
): Promise<string | undefined> {
  const isByAgeAlone = [decision, objectRef, key, text].every((each) => each === undefined);
  return isByAgeAlone && workspace === undefined ? undefined : theWorkspace(store, workspace);
}

async function printFound(store: Store, found: Prunable): Promise<void> {
  const { only, workspace } = found;
  const ids = [...(only?.decisions ?? [])];
  for (const id of ids.slice(0, LISTED_MAX)) {
    const stored = await store.findDecision(workspace!, id);
    // Records that an interrupted erasure has emptied, and this one completes.
    if (stored === null) continue;
    const { timestamp, keyId, decision, intentText } = readRecord(stored.record);
    const { system, objectRef = '' } = JSON.parse(intentText) as {
      readonly system: string;
      readonly objectRef?: string;
    };
    print(
      `${id}  ${timestamp}  ${keyId}  ${decision.decision.padEnd(5)}  ${visible(system)}  ${visible(objectRef)}`,
    );
  }
  if (ids.length > LISTED_MAX) print(`and ${ids.length - LISTED_MAX} more decisions`);
  printKept(found);
}

function printKept({ kept }: Prunable): void {
  for (const id of kept) print(`${id} stays: an open review or an approval needs it; cancel that first`);
}
