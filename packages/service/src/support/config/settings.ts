/** Every setting of the service in one table: its variable, flag, default, reader and one line of help. */
import { NO_TARGETS } from './allowed-targets.ts';
import {
  baseUrl,
  digest,
  existingFile,
  existingFolder,
  host,
  issuerUrl,
  NO_PROXIES,
  oneOf,
  type Parsed,
  postgresUrl,
  proxies,
  text,
  webhookTargets,
  wholeNumber,
} from './parse-setting.ts';

export interface Setting<T> {
  readonly variable: `WRITECHECK_${string}`;
  readonly flag: `--${string}`;
  /** How the value is shown in the help. */
  readonly placeholder: string;
  readonly fallback: T;
  readonly fallbackShown: string;
  readonly help: string;
  /** A secret's value is never repeated in a message. */
  readonly secret?: true;
  readonly parse: (raw: string) => Parsed<T>;
}

type SettingOptions<T> = Omit<Setting<T>, 'variable' | 'flag' | 'fallbackShown'> & {
  readonly fallbackShown?: string;
};

function setting<const T>(variable: Setting<T>['variable'], options: SettingOptions<T>): Setting<T> {
  const name = variable.slice('WRITECHECK_'.length).toLowerCase().replaceAll('_', '-');
  return { variable, flag: `--${name}`, fallbackShown: String(options.fallback), ...options };
}

export const SETTINGS = {
  host: setting('WRITECHECK_HOST', {
    placeholder: 'address',
    fallback: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 or :: for every interface',
    parse: host,
  }),
  port: setting('WRITECHECK_PORT', {
    placeholder: 'number',
    fallback: 8080,
    help: 'port to listen on; 0 takes a free one and prints it',
    parse: wholeNumber(0, 65_535),
  }),
  data: setting('WRITECHECK_DATA', {
    placeholder: 'folder',
    fallback: './.writecheck',
    help: 'folder of the SQLite database and, also with PostgreSQL, of the signing key and newest checkpoint; `serve` and `workspace create` create it',
    parse: text,
  }),
  databaseUrl: setting('WRITECHECK_DATABASE_URL', {
    placeholder: 'url',
    fallback: null,
    fallbackShown: 'none: SQLite',
    help: 'PostgreSQL to use instead of SQLite',
    secret: true,
    parse: postgresUrl,
  }),
  policies: setting('WRITECHECK_POLICIES', {
    placeholder: 'folder',
    fallback: null,
    fallbackShown: 'none: policies come over the API',
    help: 'folder of policy documents that is applied to the first workspace at the start',
    parse: existingFolder,
  }),
  confirmLoosening: setting('WRITECHECK_CONFIRM_LOOSENING', {
    placeholder: 'digest',
    fallback: null,
    fallbackShown: 'none',
    help: 'digest of the bundle of that folder, if it may loosen; the log names it',
    parse: digest,
  }),
  signup: setting('WRITECHECK_SIGNUP', {
    placeholder: 'open|closed',
    fallback: 'open',
    fallbackShown: 'open on a loopback address, else closed',
    help: 'whether anybody who reaches the service may create a workspace; open on another address needs a plan that is set',
    parse: oneOf('open', 'closed'),
  }),
  plan: setting('WRITECHECK_PLAN', {
    placeholder: 'private|hosted',
    fallback: 'private',
    help: 'private: live keys without limit; hosted: no live keys without a grant, and ceilings for workspaces that signed themselves up',
    parse: oneOf('private', 'hosted'),
  }),
  metricsPort: setting('WRITECHECK_METRICS_PORT', {
    placeholder: 'number',
    fallback: null,
    fallbackShown: 'none: no metrics',
    help: 'port that serves Prometheus metrics at /metrics on the same address',
    parse: wholeNumber(0, 65_535),
  }),
  workers: setting('WRITECHECK_WORKERS', {
    placeholder: 'number',
    fallback: null,
    fallbackShown: 'half of the cores, at least 1 and at most 8; 1 with PostgreSQL',
    help: 'threads that decide, on one port and one store; more than one needs Linux',
    parse: wholeNumber(1, 64),
  }),
  ratePerKey: setting('WRITECHECK_RATE_PER_KEY', {
    placeholder: 'number',
    fallback: null,
    fallbackShown: 'none: no limit',
    help: 'checks a second that one key may send',
    parse: wholeNumber(1, 1_000_000),
  }),
  signupsPerHour: setting('WRITECHECK_SIGNUPS_PER_HOUR', {
    placeholder: 'number',
    fallback: 60,
    help: 'workspaces an hour that one address may create (an IPv6 /64 counts as one address)',
    parse: wholeNumber(1, 1_000_000),
  }),
  selfServeRate: setting('WRITECHECK_SELF_SERVE_RATE', {
    placeholder: 'number',
    fallback: 20,
    help: 'checks a second that a workspace may send that signed itself up, on the hosted plan',
    parse: wholeNumber(1, 1_000_000),
  }),
  selfServeBytes: setting('WRITECHECK_SELF_SERVE_BYTES', {
    placeholder: 'number',
    fallback: 64 * 1024 * 1024,
    help: 'bytes a day (UTC) that such a workspace may store',
    parse: wholeNumber(1, 999_999_999_999),
  }),
  selfServePolicyBytes: setting('WRITECHECK_SELF_SERVE_POLICY_BYTES', {
    placeholder: 'number',
    fallback: 64 * 1024,
    help: 'bytes that the policy bundle of such a workspace may have',
    parse: wholeNumber(1, 1024 * 1024),
  }),
  trustProxy: setting('WRITECHECK_TRUST_PROXY', {
    placeholder: 'addresses',
    fallback: NO_PROXIES,
    fallbackShown: 'none: X-Forwarded-For is ignored',
    help: 'addresses or ranges, separated by commas, of proxies whose X-Forwarded-For is trusted',
    parse: proxies,
  }),
  publicUrl: setting('WRITECHECK_PUBLIC_URL', {
    placeholder: 'url',
    fallback: null,
    fallbackShown: 'none: the console is served by address and as localhost',
    help: 'URL under which people open the console; invitations, passkeys, single sign-on and links to reviews use it',
    parse: baseUrl,
  }),
  logLevel: setting('WRITECHECK_LOG_LEVEL', {
    placeholder: 'level',
    fallback: 'info',
    help: 'trace, debug, info, warn, error, fatal or silent; logs go to stderr as JSON lines',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  }),
  signingKey: setting('WRITECHECK_SIGNING_KEY', {
    placeholder: 'file',
    fallback: null,
    fallbackShown: 'none: created at first start',
    help: 'PKCS#8 PEM file with the Ed25519 key that signs the log',
    parse: existingFile,
  }),
  oidcIssuer: setting('WRITECHECK_OIDC_ISSUER', {
    placeholder: 'url',
    fallback: null,
    fallbackShown: 'none: no single sign-on',
    help: 'identity provider (OpenID Connect) through which people sign in, such as `https://login.example.com`',
    parse: issuerUrl,
  }),
  oidcClientId: setting('WRITECHECK_OIDC_CLIENT_ID', {
    placeholder: 'id',
    fallback: null,
    fallbackShown: 'none',
    help: 'id under which the identity provider knows this service',
    parse: text,
  }),
  oidcClientSecret: setting('WRITECHECK_OIDC_CLIENT_SECRET', {
    placeholder: 'secret',
    fallback: null,
    fallbackShown: 'none',
    help: 'secret that the identity provider gave this service',
    secret: true,
    parse: text,
  }),
  webhookAllow: setting('WRITECHECK_WEBHOOK_ALLOW', {
    placeholder: 'hosts',
    fallback: NO_TARGETS,
    fallbackShown: 'none: webhooks go to public addresses over https',
    help: 'hosts, addresses or ranges, separated by commas, that webhooks may reach over http and at private addresses',
    parse: webhookTargets,
  }),
};

export type Config = {
  readonly [name in keyof typeof SETTINGS]: (typeof SETTINGS)[name] extends Setting<infer T> ? T : never;
};

export type StorePlace = Pick<Config, 'data' | 'databaseUrl'>;

/** Settings that `NAME_FILE` may name a file for. */
export const SECRET_VARIABLES: readonly string[] = Object.values(SETTINGS)
  .filter(({ secret }) => secret === true)
  .map(({ variable }) => variable);
