/** Says where the service listens, and on a first start what its keys are. */
import { makeFirstWorkspace } from '../main.ts';
import { readPolicyFolder } from '../policies/read-policy-folder.ts';
import type { Store } from '../store/port.ts';
import { CommandFailure } from './fail.ts';
import { welcome } from './welcome.ts';

/** Printed after the port is taken: keys that are shown once must not be lost to a failed start. */
export async function announce(url: string, store: Store, policies: string | null): Promise<void> {
  const made = await makeFirstWorkspace(store, Date.now());
  // Nobody gets a key before the folder they were promised decides.
  if (made !== null && policies !== null && (await readPolicyFolder(policies)).kind === 'files')
    await firstBundle(store, made.workspace.id);
  process.stdout.write(`${made === null ? '' : welcome(made, url)}writecheck listens on ${url}\n`);
}

const FIRST_BUNDLE_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 50;

async function firstBundle(store: Store, workspace: string): Promise<void> {
  const startedMs = performance.now();
  while ((await store.currentPolicy(workspace)) === null) {
    if (performance.now() - startedMs > FIRST_BUNDLE_WITHIN_MS)
      throw new CommandFailure('the policy folder was not taken up in time; look at the log for why');
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
