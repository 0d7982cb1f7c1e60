/** Serves the console: one page and its files, nothing from elsewhere. */
import type { Answer } from '../exchange/answer.ts';
import { isKnownHost } from '../exchange/known-host.ts';
import type { Call, NamedOperation, Route } from '../exchange/route.ts';
import type { Config } from '../support/config/settings.ts';
import { type ConsoleFile, ConsoleFiles } from './console-files.ts';

/**
 * The owner key that a person pastes here manages a workspace, so no other script, frame or destination may reach it.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SAFETY = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const REVALIDATED = 'no-cache';
/** A changed file gets another name. */
const CACHED_FOREVER = 'public, max-age=31536000, immutable';

/** These routes are not part of the API or its description. */
export function consoleRoutes(
  config: Pick<Config, 'host' | 'publicUrl'>,
  files: Pick<ConsoleFiles, 'find'> = new ConsoleFiles(),
): readonly Route[] {
  const serve = async (call: Call, name: string, caching: string): Promise<Answer> => {
    if (!isKnownHost(call.request.header('host'), config)) return plain(421, OTHER_HOST);
    const found = await files.find(name);
    if (typeof found === 'object') return sent(found, call, caching);
    return plain(404, found === 'not_built' ? NOT_BUILT : NO_SUCH_FILE);
  };
  /**
   * The console picks its page by what follows `#`. The location is relative, because a proxy may add a path of
   * its own.
   */
  const lead = (call: Call, location: string): Answer =>
    isKnownHost(call.request.header('host'), config)
      ? { status: 302, headers: { ...SAFETY, 'cache-control': 'no-store', location }, body: null }
      : plain(421, OTHER_HOST);
  const route = (path: string, handle: (call: Call) => Promise<Answer>): Route => ({
    method: 'GET',
    path,
    access: 'open',
    operation: OPERATION,
    handle,
  });
  return [
    route('/', (call) => serve(call, 'index.html', REVALIDATED)),
    route('/assets/{name}', (call) => serve(call, `assets/${call.params.name}`, CACHED_FOREVER)),
    // The token of an invitation follows its `#`, so the page itself is served.
    route('/invitation', (call) => serve(call, 'index.html', REVALIDATED)),
    route('/reviews', async (call) => lead(call, './#/reviews')),
    route('/reviews/{id}', async (call) => lead(call, `../#/reviews/${encodeURIComponent(call.params.id!)}`)),
  ];
}

const OPERATION: NamedOperation = {
  operationId: 'console',
  route: 'GET /',
  access: 'open',
  summary: 'the console',
  answers: {},
  errors: [],
};

const OTHER_HOST =
  'the console is not served under this host name, because the service is not configured for it; ' +
  'open it by the address of the machine, or set WRITECHECK_PUBLIC_URL to the URL under which people open it\n';
const NOT_BUILT =
  'the console is not built here; run `npm run build --workspace packages/console` and reload this page\n' +
  'the API still works; see /openapi.json\n';
const NO_SUCH_FILE = 'there is no such file; the console may have been updated: reload it\n';

function sent(file: ConsoleFile, { request }: Call, caching: string): Answer {
  const accepted = request.header('accept-encoding') ?? '';
  const [encoding, bytes] = [...file.encoded].find(([name]) => accepts(accepted, name)) ?? [null, file.bytes];
  const etag = `"${file.etag}${encoding === null ? '' : `-${encoding}`}"`;
  const common = { ...SAFETY, 'cache-control': caching, etag, vary: 'accept-encoding' };
  if (request.header('if-none-match')?.includes(etag)) return { status: 304, headers: common, body: null };
  const encoded = encoding === null ? {} : { 'content-encoding': encoding };
  return { status: 200, headers: { ...common, 'content-type': file.mediaType, ...encoded }, body: bytes };
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    return name === encoding && Number(weight ?? 1) > 0;
  });
}

function plain(status: number, body: string): Answer {
  const headers = { ...SAFETY, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers, body };
}
