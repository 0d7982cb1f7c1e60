/** Sends owner commands to a running service, with an owner key and readable refusals. */
import { withoutSlashAtEnd } from '@writecheck/adapters/ask';
import type { Problem, ProblemDetail } from '@writecheck/contract';
import {
  CommandFailure,
  isCommandFailure,
  listFaults,
  ownerKey,
  serviceUrl,
} from '@writecheck/contract/command';
import { describeDetail } from '@writecheck/service/features/policies/describe-detail';

export interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
}

const TIMEOUT_MS = 60_000;
export const LOOSENS_EXIT_CODE = 3;
/** A threshold is exceeded. */
export const THRESHOLD_EXIT_CODE = 4;
/** The service's own message names a query parameter, which the command line does not have. */
const CONFIRM =
  'the bundle may be looser than the running one; check what changes, then apply it with --confirm-loosening';

export async function askService(
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  options: ServiceOptions,
  json?: unknown,
  headers: { readonly [name: string]: string } = {},
  describe?: (detail: ProblemDetail) => string,
  timeoutMs = TIMEOUT_MS,
): Promise<{ readonly body: unknown }> {
  let text = '';
  const parts = readService(method, path, options, { json, headers, describe }, timeoutMs);
  for await (const part of parts) text += part;
  try {
    return { body: JSON.parse(text) };
  } catch {
    throw new CommandFailure(
      `\`${serviceUrl(options.url)}\` returned something that is not JSON; see its log`,
    );
  }
}

interface Sent {
  readonly json?: unknown;
  readonly headers?: { readonly [name: string]: string };
  /** Set by a caller that knows more about a place than the service does. */
  readonly describe?: ((detail: ProblemDetail) => string) | undefined;
}

/** The text of a response, piece by piece. Throws what the command should say if the service refuses, or says nothing for so long. */
export async function* readService(
  method: string,
  path: string,
  options: ServiceOptions,
  { json, headers = {}, describe = describeDetail }: Sent,
  silentMs = TIMEOUT_MS,
): AsyncGenerator<string> {
  const key = ownerKey(options.key);
  const base = withoutSlashAtEnd(serviceUrl(options.url));
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silentMs);
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      redirect: 'error',
      signal: silence.signal,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    if (!response.ok) throw refusalOf(base, response.status, await response.text(), describe);
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      timer.refresh();
      yield part;
    }
  } catch (error) {
    if (isCommandFailure(error)) throw error;
    if (silence.signal.aborted)
      throw new CommandFailure(
        `\`${base}\` did not respond within ${silentMs / 1_000} s; it may be busy, so try again later`,
      );
    throw new CommandFailure(`\`${base}\` does not respond; is the service running there? (--url)`);
  } finally {
    clearTimeout(timer);
  }
}

function refusalOf(
  base: string,
  status: number,
  text: string,
  describe: (detail: ProblemDetail) => string,
): CommandFailure {
  const error = problemIn(text)?.error;
  if (error === undefined)
    return new CommandFailure(`\`${base}\` returned status ${status} without a reason; see its log`);
  const loosens = error.code === 'loosening_unconfirmed';
  return new CommandFailure(
    listFaults(`${error.code}: ${loosens ? CONFIRM : error.message}`, (error.details ?? []).map(describe)),
    loosens ? LOOSENS_EXIT_CODE : 1,
  );
}

function problemIn(text: string): Partial<Problem> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
