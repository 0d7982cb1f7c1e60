/** `writecheck check`: asks a running service about the write in a file. */
import { createClient } from '@writecheck/client';
import { parseStrictJson, type WriteIntent } from '@writecheck/contract';
import { withoutSlashAtEnd } from '../http/base-url.ts';
import { exitCodeOf, explainDecision, NO_DECISION_EXIT_CODE, painterFor } from './explain-decision.ts';
import { CommandFailure } from './fail.ts';
import { readIntent } from './read-intent.ts';
import { DEFAULT_URL, serviceUrl } from './service-url.ts';

export { DEFAULT_URL };

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
      : explainDecision(
          decision,
          intent,
          painterFor(process.stdout),
          withoutSlashAtEnd(serviceUrl(options.url)),
        ),
  );
  process.exitCode = exitCodeOf(decision);
  if (decision.origin !== 'client') return;
  // Who gets a 4xx has found the service: what helps is another key, or another intent.
  process.stderr.write(
    decision.cause.kind === 'refused'
      ? `asked ${serviceUrl(options.url)}; name another key with --key or WRITECHECK_API_KEY\n`
      : `asked ${serviceUrl(options.url)}; name another service with --url or WRITECHECK_URL\n`,
  );
}

/** Throws a CommandFailure for settings that cannot work. */
export function clientFor({ url, key }: { readonly url?: string; readonly key?: string }) {
  const baseUrl = serviceUrl(url, NO_DECISION_EXIT_CODE);
  if (!(key ?? process.env.WRITECHECK_API_KEY))
    throw new CommandFailure('no API key: give --key or set WRITECHECK_API_KEY', NO_DECISION_EXIT_CODE);
  try {
    return createClient({
      baseUrl,
      timeoutMs: TIMEOUT_MS,
      ...(key === undefined ? {} : { apiKey: key }),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : 'the settings cannot be used';
    throw new CommandFailure(`${why} (flags: --key, --url)`, NO_DECISION_EXIT_CODE);
  }
}
