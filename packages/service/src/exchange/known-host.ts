/**
 * Decides whether to serve the console under the request's host name. Somebody else can point a name that they control
 * to this service (DNS rebinding), and could then read a console page under that name.
 */
import { isIP } from 'node:net';
import type { Config } from '../support/config/settings.ts';

/** Nobody else controls an IP address, and `localhost` is the machine's own name. */
export function isKnownHost(
  header: string | undefined,
  { host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>,
): boolean {
  const name = hostName(header ?? '');
  if (name === null) return false;
  if (isIP(name) !== 0 || name === 'localhost' || name === host.toLowerCase()) return true;
  return publicUrl !== null && name === new URL(publicUrl).hostname;
}

/** Drops the port, which a tunnel or a container may change, and the brackets of an IPv6 address. */
function hostName(header: string): string | null {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d+)?$/i.exec(header) ?? [];
  return (bracketed ?? plain)?.toLowerCase() ?? null;
}
