/** Sends owner commands to a running service, with an owner key and readable refusals. */
import { withoutSlashAtEnd } from '@writecheck/adapters/ask';
import type { ProblemDetail } from '@writecheck/contract';
import { CommandFailure, listFaults, ownerKey, serviceUrl } from '@writecheck/contract/command';
import { describeDetail } from '@writecheck/service/features/policies/describe-detail';

export interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
}

const TIMEOUT_MS = 60_000;
export const LOOSENS_EXIT_CODE = 3;
/** A threshold is not met. */
export const THRESHOLD_EXIT_CODE = 4;
const EXIT_CODES: { readonly [code: string]: number } = {
  loosening_unconfirmed: LOOSENS_EXIT_CODE,
  promotion_not_earned: THRESHOLD_EXIT_CODE,
};
/** The service's own message names a query parameter, which the command line does not have. */
const CONFIRM =
  'the bundle may be looser than the running one; check what changes, then apply it with --confirm-loosening';

export async function askService(
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  options: ServiceOptions,
  json?: unknown,
  headers: { readonly [name: string]: string } = {},
  /** Set by a caller that knows more about a place than the service does. */
  describe: (detail: ProblemDetail) => string = describeDetail,
  timeoutMs = TIMEOUT_MS,
): Promise<{ readonly body: unknown; readonly dateMs: number }> {
  const key = ownerKey(options.key);
  const base = withoutSlashAtEnd(serviceUrl(options.url));
  let response: Response;
  try {
    response = await fetch(`${base}${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  } catch (error) {
    if ((error as { readonly name?: unknown }).name === 'TimeoutError')
      throw new CommandFailure(
        `\`${base}\` did not respond within ${timeoutMs / 1_000} s; it may be busy, so try again later`,
      );
    throw new CommandFailure(`\`${base}\` does not respond; is the service running there? (--url)`);
  }
  const body = (await response.json().catch(() => null)) as {
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly details?: readonly ProblemDetail[];
    };
  } | null;
  if (response.ok && body !== null) return { body, dateMs: dateOf(response) };
  const error = body?.error;
  if (error === undefined)
    throw new CommandFailure(`\`${base}\` returned status ${response.status} without a reason; see its log`);
  const loosens = error.code === 'loosening_unconfirmed';
  throw new CommandFailure(
    listFaults(`${error.code}: ${loosens ? CONFIRM : error.message}`, (error.details ?? []).map(describe)),
    EXIT_CODES[error.code] ?? 1,
  );
}

/** The service's own time to the second, at which a range that ends now should end. */
function dateOf({ headers }: Response): number {
  const ms = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(ms) ? Date.now() : ms;
}
