/**
 * Secrets from files: `NAME_FILE` names a file with the value of `NAME`, as Docker, Kubernetes and systemd
 * provide it.
 */
import { readFileSync } from 'node:fs';
import { CommandFailure } from '@writecheck/contract/command';

type Environment = { [variable: string]: string | undefined };

/** The secrets of an auditor's commands. */
export const AUDIT_SECRETS = ['WRITECHECK_OWNER_KEY'] as const;

/**
 * Sets each of these variables from its file. INVARIANT: a file that is named but unusable ends the command:
 * continuing without the secret would mean another store, or no sign-in.
 */
export function readSecretFiles(environment: Environment, names: readonly string[]): void {
  for (const name of names) {
    const variable = `${name}_FILE`;
    const file = environment[variable] || undefined;
    if (file === undefined) continue;
    if (environment[name]) throw new CommandFailure(`set ${name} or ${variable}, not both`, 2);
    environment[name] = secretIn(file, variable);
  }
}

function secretIn(file: string, variable: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${variable} names \`${file}\`, which cannot be read (${code})`, 2);
  }
  // Editors and `echo` end a file with a line break; a secret has none.
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw new CommandFailure(`${variable} names \`${file}\`, which is empty`, 2);
  if (/[\r\n]/.test(secret))
    throw new CommandFailure(`${variable} names \`${file}\`, which has more than one line`, 2);
  return secret;
}
