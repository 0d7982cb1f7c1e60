/** Prints where the service listens, and on the first start the keys and a check that works as pasted. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandFailure } from '@writecheck/contract/command';
import { hasConsole } from '@writecheck/service/edge/console-files';
import type { CreatedWorkspace } from '@writecheck/service/features/keys/create-workspace';
import { makeFirstWorkspace } from '@writecheck/service/runtime/open-store';
import { calledAs } from '@writecheck/service/support/called-as';
import type { Config } from '@writecheck/service/support/config/settings';
import type { Store } from '@writecheck/store/port';

const FIRST_BUNDLE_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 50;
const OWNER_KEY_FILE = 'owner-key';

/** Printed after the port is taken: a failed start must not lose keys that are shown once. */
export async function announce(
  url: string,
  store: Store,
  { policies, data }: Pick<Config, 'policies' | 'data'>,
  withinMs = FIRST_BUNDLE_WITHIN_MS,
): Promise<void> {
  const isBuilt = await hasConsole();
  const made = await makeFirstWorkspace(store, Date.now());
  if (made === null) closeOwnerKeyFile(data);
  else {
    // Nobody gets a key before the policies of the folder are active.
    if (policies !== null && (await hasFiles(policies)))
      await firstBundle(store, made.workspace.id, withinMs);
    const hasPolicy = (await store.currentPolicy(made.workspace.id)) !== null;
    const ownerKey = shownOwnerKey(made.ownerKey, data);
    process.stdout.write(welcome(made, ownerKey, url, isBuilt) + (hasPolicy ? '' : firstCheck(made, url)));
  }
  process.stdout.write(`writecheck listens on ${url}\n`);
  // Last, because nobody reads above the keys.
  if (!isBuilt)
    process.stdout.write(
      `\nThe console is not built, so there is no page at ${url}/; the API works without it. To build it, run\n  npm run build --workspace packages/console\n`,
    );
}

function welcome(made: CreatedWorkspace, ownerKey: string, url: string, isBuilt: boolean): string {
  return `
A workspace was created for you: ${made.workspace.id}

${isBuilt ? `  console          ${named(url)}/\n` : ''}  owner key        ${ownerKey}
  development key  ${made.developmentKey}

Save both keys now. They will not be shown again. The owner key manages the workspace, the development key sends checks.

`;
}

/** Passkeys need a name: an IP address cannot have one. */
function named(url: string): string {
  return url.replace('//127.0.0.1', '//localhost');
}

const INTENT = {
  system: 'crm',
  objectType: 'customer',
  objectRef: 'C-1001',
  field: 'email',
  agentValue: 'ada@example.com',
  requiredControls: ['identity'],
  controlEvidence: [{ controlId: 'identity', source: 'okta', result: 'PASS' }],
};

function firstCheck({ developmentKey }: CreatedWorkspace, url: string): string {
  return `Until you apply a policy, this check is allowed:

curl -s ${url}/v1/check-write -H 'Authorization: Bearer ${developmentKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(INTENT)}'

`;
}

/**
 * The text to show for an owner key. INVARIANT: the key reaches only a terminal or a file of mode 0600: the output of a
 * service is often kept as a log.
 */
export function shownOwnerKey(ownerKey: string, data: string): string {
  if (process.stdout.isTTY === true) return ownerKey;
  const file = join(resolve(data), OWNER_KEY_FILE);
  try {
    // A file of an earlier store may be more readable, or a link to somewhere else.
    rmSync(file, { force: true });
    writeFileSync(file, `${ownerKey}\n`, { mode: 0o600, flag: 'wx', flush: true });
    return `written to ${file}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `not shown, because \`${file}\` cannot be written (${code}); create another with \`${calledAs()} keys create --kind owner --name NAME\``;
  }
}

/** A restored backup may have made the file readable by everybody. */
function closeOwnerKeyFile(data: string): void {
  try {
    chmodSync(join(data, OWNER_KEY_FILE), 0o600);
  } catch {
    // Nearly always it is gone, as intended.
  }
}

async function hasFiles(folder: string): Promise<boolean> {
  const { readPolicyFolder } = await import('@writecheck/service/features/policies/read-policy-folder');
  return (await readPolicyFolder(folder)).kind === 'files';
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
