/** Reads every setting from flags and environment, and reports all errors together. */
import { editsBetween } from '@writecheck/contract';
import { isLoopback } from './is-loopback.ts';
import { type Config, SECRET_VARIABLES, SETTINGS, type Setting } from './settings.ts';

type LoadedConfig =
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'invalid'; readonly faults: readonly string[] };

type Environment = { readonly [variable: string]: string | undefined };
export type Flags = { readonly [name in keyof Config]?: string | undefined };

/** A flag wins over the environment; an empty variable counts as not set. */
export function loadConfig(environment: Environment, flags: Flags = {}): LoadedConfig {
  const faults = misspelt(environment);
  const config: Record<string, unknown> = {};
  const isSaid = new Set<string>();
  for (const name of Object.keys(SETTINGS) as (keyof Config)[]) {
    const setting = SETTINGS[name] as Setting<unknown>;
    const [place, raw] =
      flags[name] === undefined
        ? [setting.variable, environment[setting.variable] || undefined]
        : [setting.flag, flags[name]];
    if (raw === undefined) {
      config[name] = setting.fallback;
      continue;
    }
    isSaid.add(name);
    const parsed = setting.parse(raw);
    if ('value' in parsed) config[name] = parsed.value;
    else faults.push(`${place}${setting.secret ? '' : ` is \`${raw}\``}: ${parsed.fault}`);
  }
  faults.push(...halfSet(config), ...settleSignup(config, isSaid));
  if (faults.length > 0) return { kind: 'invalid', faults };
  return { kind: 'config', config: config as unknown as Config };
}

/**
 * Ignores what only concerns a service that listens. In Kubernetes, a service called `writecheck` sets the port to a URL
 * in every pod of its namespace.
 */
export function loadStoreConfig(
  { WRITECHECK_PORT, WRITECHECK_SIGNUP, ...environment }: Environment,
  flags: Flags,
): LoadedConfig {
  return loadConfig(environment, flags);
}

const OIDC = ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'] as const;

/** Single sign-on with one setting missing would silently be off. */
function halfSet(config: Record<string, unknown>): string[] {
  const missing = OIDC.filter((name) => config[name] === null);
  // A value that could not be parsed is already reported.
  const isReported = OIDC.some((name) => config[name] === undefined);
  if (isReported || missing.length === OIDC.length) return [];
  return missing.map(
    (name) => `${SETTINGS[name].variable} is missing; single sign-on needs all three settings`,
  );
}

/**
 * Nothing is open by accident: where others than this machine can reach the service, sign-up is closed unless somebody
 * opened it and chose what strangers get.
 */
function settleSignup(config: Record<string, unknown>, isSaid: ReadonlySet<string>): string[] {
  const { host, signup } = config;
  // A value that could not be parsed is already reported.
  if (typeof host !== 'string' || isLoopback(host)) return [];
  if (!isSaid.has('signup')) config.signup = 'closed';
  else if (signup === 'open' && !isSaid.has('plan')) {
    return [
      `WRITECHECK_SIGNUP is \`open\` and \`${host}\` is not a loopback address: set WRITECHECK_PLAN too, to \`hosted\` (strangers get development keys, with ceilings) or \`private\` (whoever reaches the service gets live keys without limit)`,
    ];
  }
  return [];
}

/**
 * A misspelt `WRITECHECK_SIGNUP` would leave sign-up open, so a variable one or two edits away from ours is an error.
 */
function misspelt(environment: Environment): string[] {
  const known = [
    ...Object.values(SETTINGS).map((setting) => setting.variable as string),
    ...SECRET_VARIABLES.map((variable) => `${variable}_FILE`),
  ];
  const faults: string[] = [];
  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith('WRITECHECK_') || known.includes(variable) || CLIENT_VARIABLES.has(variable))
      continue;
    const named = variable.endsWith('_FILE') ? variable.slice(0, -'_FILE'.length) : '';
    if (known.includes(named)) {
      faults.push(`${variable} is not a setting, because ${named} is no secret; set ${named} itself`);
      continue;
    }
    const near = known.find((name) => editsBetween(name, variable) <= 2);
    if (near !== undefined) faults.push(`${variable} is not a setting; did you mean \`${near}\``);
  }
  return faults;
}

/** Variables that look like settings and set nothing. Kubernetes sets some for a service called `writecheck`. */
export function withoutEffect(environment: Environment): readonly string[] {
  const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));
  return Object.keys(environment).filter(
    (variable) =>
      variable.startsWith('WRITECHECK_') &&
      !known.has(variable.replace(/_FILE$/, '')) &&
      !CLIENT_VARIABLES.has(variable.replace(/_FILE$/, '')) &&
      !/^WRITECHECK_(SERVICE_|PORT_\d|FACTS_|TEST_)/.test(variable),
  );
}

const CLIENT_VARIABLES = new Set(['WRITECHECK_URL', 'WRITECHECK_API_KEY', 'WRITECHECK_OWNER_KEY']);
