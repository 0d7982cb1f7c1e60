/** Parses single settings: returns a value, or says what would be valid. */
import { statSync } from 'node:fs';
import { BlockList } from 'node:net';
import { readDatabaseUrl } from '@writecheck/store/database-url';
import { type AllowedTargets, addRange, allowedTargets, familyOf } from './allowed-targets.ts';

export type Parsed<T> = { readonly value: T } | { readonly fault: string };

export function text(raw: string): Parsed<string> {
  return raw.trim() === '' ? { fault: 'must not be blank' } : { value: raw };
}

export function existingFolder(raw: string): Parsed<string> {
  return statSync(raw, { throwIfNoEntry: false })?.isDirectory()
    ? { value: raw }
    : { fault: `must be a folder, and there is none at \`${raw}\`` };
}

export function digest(raw: string): Parsed<string> {
  return /^sha256:[0-9a-f]{64}$/.test(raw)
    ? { value: raw }
    : { fault: 'must be `sha256:` and 64 digits, as the log names it' };
}

export function existingFile(raw: string): Parsed<string> {
  return statSync(raw, { throwIfNoEntry: false })?.isFile()
    ? { value: raw }
    : { fault: `must be a file, and there is none at \`${raw}\`` };
}

export function host(raw: string): Parsed<string> {
  return /^[0-9A-Za-z.:_-]{1,253}$/.test(raw)
    ? { value: raw }
    : { fault: 'must be a host name or an IP address without a port, such as `127.0.0.1` or `::`' };
}

export function wholeNumber(least: number, most: number): (raw: string) => Parsed<number> {
  return (raw) => {
    const value = /^\d{1,12}$/.test(raw) ? Number(raw) : Number.NaN;
    return value >= least && value <= most
      ? { value }
      : { fault: `must be a whole number from ${least} to ${most}` };
  };
}

export function oneOf<const T extends string>(...choices: readonly T[]): (raw: string) => Parsed<T> {
  return (raw) => {
    const value = choices.find((choice) => choice === raw);
    return value === undefined
      ? { fault: `must be one of ${choices.map((choice) => `\`${choice}\``).join(', ')}` }
      : { value };
  };
}

export function postgresUrl(raw: string): Parsed<string> {
  const read = readDatabaseUrl(raw);
  return 'fault' in read ? read : { value: raw };
}

/** Other URLs are built by adding to its path, so a query or fragment would swallow them. */
export function baseUrl(raw: string): Parsed<string> {
  const protocol = URL.canParse(raw) ? new URL(raw).protocol : '';
  const isUsable = (protocol === 'http:' || protocol === 'https:') && !/[?#]/.test(raw);
  return isUsable
    ? { value: raw }
    : { fault: 'must be a URL such as `https://writecheck.example.com`, without a query or fragment' };
}

const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The service trusts what an identity provider says, so it must come over TLS unless both run on this machine. */
export function issuerUrl(raw: string): Parsed<string> {
  const url = URL.canParse(raw) ? new URL(raw) : null;
  const isSafe =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL_NAMES.has(url.hostname)));
  return isSafe ? { value: raw } : { fault: 'must be an https URL such as `https://login.example.com`' };
}

/** The peers that may name the caller's address: none unless listed here. */
export interface TrustedProxies {
  trusts(address: string): boolean;
}

export const NO_PROXIES: TrustedProxies = { trusts: () => false };

export function proxies(raw: string): Parsed<TrustedProxies> {
  const list = new BlockList();
  const entries = raw.split(',').map((part) => part.trim());
  const wrong = entries.filter((entry) => !addRange(list, entry));
  if (wrong.length > 0) {
    const named = wrong.map((entry) => `\`${entry}\``).join(', ');
    return {
      fault: `${named} is not an IP address or range; write a list like \`10.0.0.5, 10.1.0.0/16, ::1\``,
    };
  }
  return { value: { trusts: (address) => list.check(address, familyOf(address)) } };
}

export function webhookTargets(raw: string): Parsed<AllowedTargets> {
  const allowed = allowedTargets(raw.split(',').map((part) => part.trim()));
  if (!Array.isArray(allowed)) return { value: allowed as AllowedTargets };
  const named = allowed.map((entry) => `\`${entry}\``).join(', ');
  return {
    fault: `${named} is not a host or range; write a list like \`hooks.internal, 10.1.0.0/16, ::1\``,
  };
}
