/** What the commands share: how one fails, which service and key it uses, and what a child process inherits. */

/** Thrown by a command; the program that runs it prints the message and exits with `exitCode`. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** True also for a failure of a package that has this module in its own bundle. */
export function isCommandFailure(error: unknown): error is CommandFailure {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number';
}

export function listFaults(head: string, faults: readonly string[]): string {
  return [head, ...faults.map((fault) => `  - ${fault}`)].join('\n');
}

export const DEFAULT_URL = 'http://127.0.0.1:8080';

export function serviceUrl(asked: string | undefined, exitCode = 1): string {
  const url = asked ?? process.env.WRITECHECK_URL ?? DEFAULT_URL;
  if (isServiceUrl(url)) return url;
  throw new CommandFailure(
    `\`${url}\` is not the URL of a service; use a URL like \`${DEFAULT_URL}\` in --url or WRITECHECK_URL`,
    exitCode,
  );
}

export function isServiceUrl(url: string): boolean {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  return protocol === 'http:' || protocol === 'https:';
}

export function ownerKey(asked: string | undefined): string {
  const key = asked ?? process.env.WRITECHECK_OWNER_KEY;
  if (key !== undefined) return key;
  throw new CommandFailure('an owner key is needed: give --key or set WRITECHECK_OWNER_KEY');
}

/**
 * What a child process inherits. INVARIANT: no variable of Writecheck's, because each may be a secret or name its file.
 * Windows ignores the case of names.
 */
export function childEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !/^writecheck_/i.test(entry[0]),
    ),
  );
}

/** The examples in a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`;
}
