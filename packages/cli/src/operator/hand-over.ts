/** Gives the first owner key to the operator: on a terminal, otherwise in a file that only they can read. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { calledAs } from '@writecheck/service/support/called-as';

const OWNER_KEY_FILE = 'owner-key';

export interface HandedOver {
  /** The text beside "owner key". */
  readonly shown: string;
  /** The advice that follows it. */
  readonly advice: string;
  /** A word of a shell command that stands for the key; null if it is lost. */
  readonly inShell: string | null;
}

/**
 * INVARIANT: the key reaches only a terminal or a file of mode 0600: the output of a service is often kept as a
 * log.
 */
export function handOver(ownerKey: string, data: string, isTerminal: boolean): HandedOver {
  if (isTerminal) {
    const advice = 'Save these keys now. They will not be shown again.';
    return { shown: ownerKey, advice, inShell: ownerKey };
  }
  const file = join(resolve(data), OWNER_KEY_FILE);
  try {
    // A file of an earlier store may be more readable, or a link to somewhere else.
    rmSync(file, { force: true });
    writeFileSync(file, `${ownerKey}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const advice =
      `The owner key is shown on a terminal only, and \`${file}\` cannot be written (${code}). Create another with\n` +
      `  ${calledAs()} keys create --kind owner --name NAME\n` +
      'Save the development key now. It will not be shown again.';
    return { shown: 'not shown', advice, inShell: null };
  }
  const advice =
    'Move the owner key to a safe place and delete the file. Save the development key now. It will not be shown again.';
  return { shown: `written to ${file}`, advice, inShell: `"$(cat '${file.replaceAll("'", "'\\''")}')"` };
}

/** A restored backup may have made the file readable by everybody. */
export function closeOwnerKeyFile(data: string): void {
  try {
    chmodSync(join(data, OWNER_KEY_FILE), 0o600);
  } catch {
    // Nearly always it is gone, as intended.
  }
}
