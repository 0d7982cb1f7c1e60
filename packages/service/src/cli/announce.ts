/** Says where the service listens, and on a first start what its keys are. */
import { makeFirstWorkspace } from '../main.ts';
import type { Store } from '../store/port.ts';
import { welcome } from './welcome.ts';

/** Printed after the port is taken: keys that are shown once must not be lost to a failed start. */
export async function announce(url: string, store: Store): Promise<void> {
  const made = await makeFirstWorkspace(store, Date.now());
  process.stdout.write(`${made === null ? '' : welcome(made, url)}writecheck listens on ${url}\n`);
}
