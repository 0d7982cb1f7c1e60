/** The client that a command uses. */

import { createClient } from '@writecheck/client';
import { given } from '@writecheck/contract';
import { CommandFailure, serviceUrl } from '@writecheck/contract/command';
import { NO_DECISION_EXIT_CODE } from './explain-decision.ts';

export const TIMEOUT_MS = 10_000;

/** Throws a CommandFailure for settings that cannot work. */
export function clientFor({ url, key }: { readonly url?: string; readonly key?: string }) {
  const baseUrl = serviceUrl(url, NO_DECISION_EXIT_CODE);
  if (!(key ?? process.env.WRITECHECK_API_KEY))
    throw new CommandFailure('no API key: give --key or set WRITECHECK_API_KEY', NO_DECISION_EXIT_CODE);
  try {
    return createClient({
      baseUrl,
      timeoutMs: TIMEOUT_MS,
      ...given({ apiKey: key }),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : 'the settings are invalid';
    throw new CommandFailure(
      `${why} (from --key or WRITECHECK_API_KEY, --url or WRITECHECK_URL)`,
      NO_DECISION_EXIT_CODE,
    );
  }
}
