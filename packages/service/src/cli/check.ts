/** `writecheck check`: asks a running service about the write in a file. */
import { createClient } from '@writecheck/client';
import { parseStrictJson, type WriteIntent } from '@writecheck/contract';
import { exitCodeOf, explainDecision, NO_DECISION_EXIT_CODE, painterFor } from './explain-decision.ts';
import { CommandFailure } from './fail.ts';
import { readIntent } from './read-intent.ts';

export const DEFAULT_URL = 'http://127.0.0.1:8080';
export const TIMEOUT_MS = 10_000;

export async function check(
  file: string,
  options: { readonly url?: string; readonly key?: string; readonly json: boolean },
): Promise<void> {
  const { bytes, intent } = await readIntent(file, NO_DECISION_EXIT_CODE);
  const client = clientFor(options);
  // By the same reader: another might read another intent, and the decision would not be about this one.
  const sent = parseStrictJson(bytes);
  if (sent.kind === 'malformed') throw new CommandFailure(sent.message, NO_DECISION_EXIT_CODE);
  const decision = await client.checkWrite(sent.value as unknown as WriteIntent);
  process.stdout.write(
    options.json
      ? `${JSON.stringify(decision, null, 2)}\n`
      : explainDecision(decision, intent, painterFor(process.stdout)),
  );
  process.exitCode = exitCodeOf(decision);
  if (process.exitCode === NO_DECISION_EXIT_CODE) {
    process.stderr.write(`asked ${urlFor(options)}; another service is named with --url or WRITECHECK_URL\n`);
  }
}

function urlFor({ url }: { readonly url?: string | undefined }): string {
  return url ?? process.env.WRITECHECK_URL ?? DEFAULT_URL;
}

/** Throws a CommandFailure for settings that cannot work. */
export function clientFor({ url, key }: { readonly url?: string; readonly key?: string }) {
  try {
    return createClient({
      baseUrl: urlFor({ url }),
      timeoutMs: TIMEOUT_MS,
      ...(key === undefined ? {} : { apiKey: key }),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : 'the settings cannot be used';
    throw new CommandFailure(`${why} (flags: --key, --url)`, NO_DECISION_EXIT_CODE);
  }
}
