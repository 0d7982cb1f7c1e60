/** Prints where the service listens, and its keys on a first start. */
import { CommandFailure } from '@writecheck/contract/command';
import { compile, EMPTY_SNAPSHOT, type PolicySnapshot } from '@writecheck/engine/deciding';
import { hasConsole } from '@writecheck/service/edge/console-files';
import { storedDocuments } from '@writecheck/service/features/policies/stored-documents';
import { makeFirstWorkspace } from '@writecheck/service/runtime/open-store';
import { calledAs } from '@writecheck/service/support/called-as';
import type { Config } from '@writecheck/service/support/config/settings';
import type { Store } from '@writecheck/store/port';
import { firstChecks } from './first-checks.ts';
import { closeOwnerKeyFile, handOver } from './hand-over.ts';
import { listening, welcome } from './welcome.ts';

const FIRST_BUNDLE_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 50;

/** Printed after the port is taken: a failed start must not lose keys that are shown once. */
export async function announce(
  url: string,
  store: Store,
  { policies, data, databaseUrl }: Pick<Config, 'policies' | 'data' | 'databaseUrl'>,
  withinMs = FIRST_BUNDLE_WITHIN_MS,
): Promise<void> {
  const made = await makeFirstWorkspace(store, Date.now());
  if (made === null) closeOwnerKeyFile(data);
  // Nobody gets a key before the policies of the folder are active.
  if (made !== null && policies !== null && (await hasFiles(policies)))
    await firstBundle(store, made.workspace.id, withinMs);
  const isBuilt = await hasConsole();
  const greeting =
    made === null
      ? ''
      : welcome(
          made,
          url,
          firstChecks(await snapshotOf(store, made.workspace.id), Date.now()),
          handOver(made.ownerKey, data, process.stdout.isTTY === true),
          isBuilt,
          databaseUrl === null ? data : null,
        );
  process.stdout.write(greeting + listening(url, isBuilt));
}

async function hasFiles(folder: string): Promise<boolean> {
  const { readPolicyFolder } = await import('@writecheck/service/features/policies/read-policy-folder');
  return (await readPolicyFolder(folder)).kind === 'files';
}

async function snapshotOf(store: Store, workspace: string): Promise<PolicySnapshot> {
  const running = await store.currentPolicy(workspace);
  if (running === null) return EMPTY_SNAPSHOT;
  const compiled = compile(storedDocuments(running.documents) ?? []);
  return compiled.kind === 'snapshot' ? compiled.snapshot : EMPTY_SNAPSHOT;
}

async function firstBundle(store: Store, workspace: string, withinMs: number): Promise<void> {
  const startedMs = performance.now();
  while ((await store.currentPolicy(workspace)) === null) {
    if (performance.now() - startedMs > withinMs) {
      throw new CommandFailure(
        'the policy folder was not loaded in time; see the log for the reason, fix the folder and start again\n' +
          `workspace \`${workspace}\` was created, but its keys were not shown; create others with \`${calledAs()} keys create --kind owner --name NAME\``,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
