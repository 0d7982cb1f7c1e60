/** `writecheck check`: checks the write in a file with a running service. */
import {
  clientFor,
  exitCodeOf,
  explainDecision,
  NO_DECISION_EXIT_CODE,
  painterFor,
  withoutSlashAtEnd,
} from '@writecheck/adapters/ask';
import { parseStrictJson, type WriteIntent } from '@writecheck/contract';
import { CommandFailure, serviceUrl } from '@writecheck/contract/command';
import { readIntent } from './read-intent.ts';

export async function check(
  file: string,
  options: { readonly url?: string; readonly key?: string; readonly json: boolean },
): Promise<void> {
  const { bytes, intent } = await readIntent(file, NO_DECISION_EXIT_CODE);
  const client = clientFor(options);
  // Read by the same reader as the service: another might read a different intent, and the decision would not be
  // about this one.
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
  // A 4xx means that the service was reached: the user needs another key, or another intent.
  process.stderr.write(
    decision.cause.kind === 'refused'
      ? `the check went to ${serviceUrl(options.url)}; use another key with --key or WRITECHECK_API_KEY\n`
      : `the check went to ${serviceUrl(options.url)}; name another service with --url or WRITECHECK_URL\n`,
  );
}
