/** `writecheck webhooks reseal`: the secrets of webhooks under a new signing key, so that no receiver has to change. */
import { CommandFailure } from '@writecheck/contract/command';
import { resealed } from '@writecheck/service/features/webhooks/manage-webhooks';
import type { Flags } from '@writecheck/service/support/config/load-config';
import { signerFor } from './audit-store.ts';
import { onStore, print } from './store-commands.ts';
import { operator } from './the-operator.ts';

interface ResealOptions extends Flags {
  readonly signingKeyBefore: string;
}

/** A webhook that changes meanwhile is left for the next run. */
export async function resealCommand({ signingKeyBefore, ...options }: ResealOptions): Promise<void> {
  await onStore(options, async (store, config) => {
    const before = signerFor({ data: config.data, signingKey: signingKeyBefore }, '--signing-key-before: ');
    const now = signerFor(config);
    if (before.line === now.line) throw new CommandFailure('both signing keys are the same');
    const by = operator();
    let done = 0;
    let left = 0;
    let others = 0;
    for (const { id: workspace } of await store.listWorkspaces()) {
      for (const webhook of await store.listWebhooks(workspace)) {
        if (webhook.signer === now.line) continue;
        if (webhook.signer !== before.line) {
          others += 1;
          continue;
        }
        const changed = resealed(webhook, before.derive, now);
        const atMs = Math.max(Date.now(), await store.newestAtMs());
        if (changed !== null && (await store.changeWebhook(changed, null, by, atMs))) done += 1;
        else left += 1;
      }
    }
    print(`${done} webhooks keep their secrets under the new signing key`);
    if (others > 0)
      throw new CommandFailure(
        `${others} webhooks have secrets under neither of the two keys, and were not changed; find the key that signed before, and keep it until this succeeds`,
      );
    if (left > 0)
      throw new CommandFailure(
        `${left} webhooks could not be read, or changed meanwhile; run this again, then rotate those that are left`,
      );
  });
}
