/**
 * Reads the URL of a database: its hosts, and how connections are encrypted. node-postgres itself knows one host only,
 * and changes the meaning of `sslmode` between its versions.
 */
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';

export interface DatabaseHost {
  /** The URL for node-postgres: one host, nothing about encryption. */
  readonly url: string;
  /** False for plain text. */
  readonly tls: ConnectionOptions | false;
}

type DatabaseUrl = { readonly hosts: readonly DatabaseHost[] } | { readonly fault: string };

const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)((?:\/[^?#]*)?)(?:\?([^#]*))?$/;
const OWN_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'target_session_attrs'];
const WRITABLE: ReadonlySet<string> = new Set(['read-write', 'primary']);

export function readDatabaseUrl(url: string): DatabaseUrl {
  const [matched, scheme, user, authority, path, query = ''] = PARTS.exec(url) ?? [];
  const wrong = { fault: 'must be a URL such as `postgres://user@host:5432/writecheck`' };
  if (matched === undefined) return wrong;
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get('target_session_attrs') ?? 'read-write';
  if (!WRITABLE.has(attributes)) {
    return {
      fault: 'has `target_session_attrs` of a server that takes no writes; use `read-write`, or leave it out',
    };
  }
  const rest = new URLSearchParams(parameters);
  for (const name of OWN_PARAMETERS) rest.delete(name);
  // An untouched query stays as written.
  const asked = rest.size === parameters.size ? query : rest.toString();
  const hosts: DatabaseHost[] = [];
  for (const host of authority!.split(',')) {
    const one = `${scheme}${user}${host}${path}${asked === '' ? '' : `?${asked}`}`;
    if (!URL.canParse(one) && host !== '') return wrong;
    const tls = readTls(parameters, hostName(host));
    if (typeof tls === 'string') return { fault: tls };
    hosts.push({ url: one, tls });
  }
  return { hosts };
}

function hostName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
}

/** A string is an error. */
function readTls(parameters: URLSearchParams, host: string): ConnectionOptions | false | string {
  const certificates: { ca?: string; cert?: string; key?: string } = {};
  for (const [parameter, option] of [
    ['sslrootcert', 'ca'],
    ['sslcert', 'cert'],
    ['sslkey', 'key'],
  ] as const) {
    const file = parameters.get(parameter);
    if (file === null || file === 'system') continue;
    try {
      certificates[option] = readFileSync(file, 'utf8');
    } catch {
      return `names \`${file}\` as \`${parameter}\`, which cannot be read`;
    }
  }
  const mode =
    parameters.get('sslmode') ?? (Object.keys(certificates).length === 0 ? 'disable' : 'verify-full');
  switch (mode) {
    case 'disable':
      return false;
    case 'no-verify':
      return { ...certificates, rejectUnauthorized: false };
    case 'verify-ca':
      return { ...certificates, checkServerIdentity: () => undefined };
    // INVARIANT: `require` verifies too, although libpq's does not: encryption to an unknown server protects
    // nothing.
    case 'require':
    case 'verify-full':
      return {
        ...certificates,
        checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
      };
    default:
      return `has \`sslmode=${mode}\`, which may fall back to plain text; use \`verify-full\`, or \`disable\` on a trusted network`;
  }
}
