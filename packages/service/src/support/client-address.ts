/** The address a request is counted under: the peer's, or the one a trusted proxy names. */
import { isIP } from 'node:net';
import type { TrustedProxies } from './config/parse-setting.ts';

/** The caller's address. `X-Forwarded-For` is read from the right, only as far as trusted proxies wrote it. */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): string {
  let address = plain(peer);
  if (forwardedFor === undefined) return address;
  for (const hop of forwardedFor.split(',').reverse()) {
    if (!proxies.trusts(address)) return address;
    const named = plain(hop.trim());
    if (isIP(named) === 0) return address;
    address = named;
  }
  return address;
}

/** The subject that a limit counts: an IPv4 address, or an IPv6 /64, because one subscriber has a whole /64. */
export function limitSubject(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** An IPv4 address that arrived on an IPv6 socket is still an IPv4 address. */
function plain(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}
