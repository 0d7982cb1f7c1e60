/** Turns the caller's options and the environment into usable settings. */
import type { FactsReader, FactsSource } from './facts-types.ts';
import type { Fetch } from './platform.ts';

export interface ClientOptions {
  /** A checking key. By default, `WRITECHECK_API_KEY` if there is an environment. */
  readonly apiKey?: string;
  /** Where the service is, for example `https://writecheck.internal`. By default, `WRITECHECK_URL`. */
  readonly baseUrl?: string;
  /** One deadline over a whole call, including retries and reading the response. */
  readonly timeoutMs?: number;
  /** How often an outage is retried within the deadline. */
  readonly retries?: number;
  /** Whether guards report the outcome of a write; true by default. */
  readonly outcomes?: boolean;
  readonly fetch?: Fetch;
  /** Fetched before every check that needs facts. A failure there stops the write. */
  readonly facts?: FactsSource;
}

export interface Settings {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly outcomes: boolean;
  readonly fetch: Fetch;
  readonly facts?: FactsSource;
}

const TIMER_MS_MAX = 2 ** 31 - 1;

/** Throws a TypeError for settings under which no check could ever succeed; no message repeats the key. */
export function readSettings(options: ClientOptions): Settings {
  const apiKey = options.apiKey ?? environment('WRITECHECK_API_KEY');
  if (!apiKey) throw new TypeError('no API key: give `apiKey` or set WRITECHECK_API_KEY');
  if (!/^[!-~]+$/.test(apiKey)) throw new TypeError('`apiKey` must be visible ASCII without spaces');
  const baseUrl = options.baseUrl ?? environment('WRITECHECK_URL');
  if (!baseUrl) throw new TypeError('no address of the service: give `baseUrl` or set WRITECHECK_URL');
  const { timeoutMs = 2000, retries = 3, outcomes } = options;
  const { fetch = (url, init) => globalThis.fetch(url, init) } = options;
  // A text such as '2000' from the environment would be joined to the time of sending, not added to it.
  if (!(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= TIMER_MS_MAX)) {
    throw new TypeError(`\`timeoutMs\` must be a number above 0 and at most ${TIMER_MS_MAX}`);
  }
  if (!(Number.isInteger(retries) && retries >= 0))
    throw new TypeError('`retries` must be a whole number from 0');
  const { facts } = options;
  if (facts !== undefined && typeof facts !== 'function') readerOf(facts);
  const settings = {
    apiKey,
    baseUrl: usableUrl(baseUrl, 'baseUrl'),
    timeoutMs,
    retries,
    fetch,
    outcomes: outcomes !== false,
  };
  return facts === undefined ? settings : { ...settings, facts };
}

/** Throws a TypeError for a reader that cannot be used. */
export function readerOf({ url: given, token }: FactsReader): FactsReader {
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token))
    throw new TypeError('`facts.token` must be visible ASCII without spaces');
  const url = usableUrl(String(given), 'facts.url');
  return { url: new URL(url).pathname === '/' ? `${url}/facts` : url, token };
}

/** Hosts the caller was warned about, so that a program with many clients warns once. */
const warned = new Set<string>();

function warnOfPlainHttp({ protocol, host, hostname }: URL): void {
  if (protocol === 'https:' || LOOPBACK.test(hostname) || warned.has(host)) return;
  warned.add(host);
  console.warn(
    `writecheck: http://${host} is not encrypted: others can read the key and forge decisions; use https`,
  );
}

const LOOPBACK = /^(?:127\.[\d.]+|\[::1\]|(?:.+\.)?localhost)$/;

function usableUrl(text: string, name: string): string {
  // Not URL.parse, which Node 20 lacks.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new TypeError(`\`${name}\` must be an http or https address`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError(`\`${name}\` must not contain credentials, a query or a fragment`);
  }
  warnOfPlainHttp(url);
  let end = url.href.length;
  while (url.href[end - 1] === '/') end -= 1;
  return url.href.slice(0, end);
}

function environment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name];
  } catch {
    // A runtime may forbid access to its environment: then there is none.
    return undefined;
  }
}
