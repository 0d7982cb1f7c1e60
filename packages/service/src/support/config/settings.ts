/** Every setting of the service in one table: its variable, flag, default, reader and one line of help. */

import type { ArchivePlace } from '@writecheck/store/port/archive';
import { type AllowedTargets, NO_TARGETS } from './allowed-targets.ts';
import { archivePlace } from './archive-place.ts';
import {
  baseUrl,
  existingFile,
  existingFolder,
  host,
  issuerUrl,
  NO_PROXIES,
  oneOf,
  type Parsed,
  postgresUrl,
  proxies,
  type TrustedProxies,
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

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly data: string;
  readonly databaseUrl: string | null;
  readonly archive: ArchivePlace | null;
  readonly migrate: 'command' | 'start';
  readonly policies: string | null;
  readonly signup: 'open' | 'closed';
  readonly plan: 'private' | 'hosted';
  readonly metricsPort: number | null;
  /** Null: as many as the machine has use for. */
  readonly workers: number | null;
  readonly ratePerKey: number | null;
  readonly signupsPerHour: number;
  readonly trustProxy: TrustedProxies;
  readonly publicUrl: string | null;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly signingKey: string | null;
  readonly oidcIssuer: string | null;
  readonly oidcClientId: string | null;
  readonly oidcClientSecret: string | null;
  readonly webhookAllow: AllowedTargets;
}

export const SETTINGS: { readonly [name in keyof Config]: Setting<Config[name]> } = {
  host: {
    variable: 'WRITECHECK_HOST',
    flag: '--host',
    placeholder: 'address',
    fallback: '127.0.0.1',
    fallbackShown: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 or :: for every interface',
    parse: host,
  },
  port: {
    variable: 'WRITECHECK_PORT',
    flag: '--port',
    placeholder: 'number',
    fallback: 8080,
    fallbackShown: '8080',
    help: 'port to listen on; 0 takes a free one and prints it',
    parse: wholeNumber(0, 65_535),
  },
  data: {
    variable: 'WRITECHECK_DATA',
    flag: '--data',
    placeholder: 'folder',
    fallback: './.writecheck',
    fallbackShown: './.writecheck',
    help: 'folder of the SQLite database; `serve` and `workspace create` create it',
    parse: text,
  },
  databaseUrl: {
    variable: 'WRITECHECK_DATABASE_URL',
    flag: '--database-url',
    placeholder: 'url',
    fallback: null,
    fallbackShown: 'none: SQLite',
    help: 'PostgreSQL to use instead of SQLite',
    secret: true,
    parse: postgresUrl,
  },
  archive: {
    variable: 'WRITECHECK_ARCHIVE',
    flag: '--archive',
    placeholder: 'folder|s3-url',
    fallback: null,
    fallbackShown: 'none: the whole log is in the database',
    help: 'where `audit archive` moved old records to: a folder, or `s3://bucket/prefix?endpoint=https://host&region=name`',
    parse: archivePlace,
  },
  migrate: {
    variable: 'WRITECHECK_MIGRATE',
    flag: '--migrate',
    placeholder: 'command|start',
    fallback: 'command',
    fallbackShown: 'command',
    help: 'what migrates a store of an earlier version: only `writecheck migrate`, or also the start of the service',
    parse: oneOf('command', 'start'),
  },
  policies: {
    variable: 'WRITECHECK_POLICIES',
    flag: '--policies',
    placeholder: 'folder',
    fallback: null,
    fallbackShown: 'none: policies come over the API',
    help: 'folder of policy documents to load into the first workspace and watch',
    parse: existingFolder,
  },
  signup: {
    variable: 'WRITECHECK_SIGNUP',
    flag: '--signup',
    placeholder: 'open|closed',
    fallback: 'open',
    fallbackShown: 'open',
    help: 'whether anybody who reaches the service may create a workspace',
    parse: oneOf('open', 'closed'),
  },
  plan: {
    variable: 'WRITECHECK_PLAN',
    flag: '--plan',
    placeholder: 'private|hosted',
    fallback: 'private',
    fallbackShown: 'private',
    help: 'private: live keys without limit; hosted: no live keys without a grant',
    parse: oneOf('private', 'hosted'),
  },
  metricsPort: {
    variable: 'WRITECHECK_METRICS_PORT',
    flag: '--metrics-port',
    placeholder: 'number',
    fallback: null,
    fallbackShown: 'none: no metrics',
    help: 'port that serves Prometheus metrics at /metrics on the same address',
    parse: wholeNumber(0, 65_535),
  },
  workers: {
    variable: 'WRITECHECK_WORKERS',
    flag: '--workers',
    placeholder: 'number',
    fallback: null,
    fallbackShown: 'half of the cores, at least 1 and at most 8; 1 with PostgreSQL',
    help: 'threads that decide, on one port and one store; more than one needs Linux',
    parse: wholeNumber(1, 64),
  },
  ratePerKey: {
    variable: 'WRITECHECK_RATE_PER_KEY',
    flag: '--rate-per-key',
    placeholder: 'number',
    fallback: null,
    fallbackShown: 'none: no limit',
    help: 'checks a second that one key may send',
    parse: wholeNumber(1, 1_000_000),
  },
  signupsPerHour: {
    variable: 'WRITECHECK_SIGNUPS_PER_HOUR',
    flag: '--signups-per-hour',
    placeholder: 'number',
    fallback: 60,
    fallbackShown: '60',
    help: 'workspaces an hour that one address may create (an IPv6 /64 counts as one address)',
    parse: wholeNumber(1, 1_000_000),
  },
  trustProxy: {
    variable: 'WRITECHECK_TRUST_PROXY',
    flag: '--trust-proxy',
    placeholder: 'addresses',
    fallback: NO_PROXIES,
    fallbackShown: 'none: X-Forwarded-For is ignored',
    help: 'addresses or ranges, separated by commas, of proxies whose X-Forwarded-For is trusted',
    parse: proxies,
  },
  publicUrl: {
    variable: 'WRITECHECK_PUBLIC_URL',
    flag: '--public-url',
    placeholder: 'url',
    fallback: null,
    fallbackShown: 'none: the console is served by address and as localhost',
    help: 'URL under which people open the console; invitations, passkeys, single sign-on and links to reviews use it',
    parse: baseUrl,
  },
  logLevel: {
    variable: 'WRITECHECK_LOG_LEVEL',
    flag: '--log-level',
    placeholder: 'level',
    fallback: 'info',
    fallbackShown: 'info',
    help: 'trace, debug, info, warn, error, fatal or silent; logs go to stderr as JSON lines',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  signingKey: {
    variable: 'WRITECHECK_SIGNING_KEY',
    flag: '--signing-key',
    placeholder: 'file',
    fallback: null,
    fallbackShown: 'none: created at first start',
    help: 'PKCS#8 PEM file with the Ed25519 key that signs the log',
    parse: existingFile,
  },
  oidcIssuer: {
    variable: 'WRITECHECK_OIDC_ISSUER',
    flag: '--oidc-issuer',
    placeholder: 'url',
    fallback: null,
    fallbackShown: 'none: no single sign-on',
    help: 'identity provider (OpenID Connect) through which people sign in, such as `https://login.example.com`',
    parse: issuerUrl,
  },
  oidcClientId: {
    variable: 'WRITECHECK_OIDC_CLIENT_ID',
    flag: '--oidc-client-id',
    placeholder: 'id',
    fallback: null,
    fallbackShown: 'none',
    help: 'id under which the identity provider knows this service',
    parse: text,
  },
  oidcClientSecret: {
    variable: 'WRITECHECK_OIDC_CLIENT_SECRET',
    flag: '--oidc-client-secret',
    placeholder: 'secret',
    fallback: null,
    fallbackShown: 'none',
    help: 'secret that the identity provider gave this service',
    secret: true,
    parse: text,
  },
  webhookAllow: {
    variable: 'WRITECHECK_WEBHOOK_ALLOW',
    flag: '--webhook-allow',
    placeholder: 'hosts',
    fallback: NO_TARGETS,
    fallbackShown: 'none: webhooks go to public addresses over https',
    help: 'hosts, addresses or ranges, separated by commas, that webhooks may reach over http and at private addresses',
    parse: webhookTargets,
  },
};

/** Settings that `NAME_FILE` may name a file for. */
export const SECRET_VARIABLES: readonly string[] = Object.values(SETTINGS)
  .filter(({ secret }) => secret === true)
  .map(({ variable }) => variable);
