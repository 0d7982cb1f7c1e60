/** Which addresses a webhook may reach: globally reachable unicast ones, and whatever the operator allows. */
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What `WRITECHECK_WEBHOOK_ALLOW` names: hosts and ranges that may be http and have any address. */
export interface AllowedTargets {
  allowsHost(host: string): boolean;
  allowsAddress(address: string): boolean;
}

export const NO_TARGETS: AllowedTargets = {
  allowsHost: () => false,
  allowsAddress: () => false,
};

const HOST = /^[0-9a-z_]([0-9a-z_.-]{0,251}[0-9a-z_])?$/;

/** The entries that are neither a host nor a range are returned instead. */
export function allowedTargets(entries: readonly string[]): AllowedTargets | readonly string[] {
  const hosts = new Set<string>();
  const ranges = new BlockList();
  const wrong: string[] = [];
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.split('/');
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    if (version !== 0 && rest.length === 0 && (bits === undefined || isBits(bits, most))) {
      ranges.addSubnet(address, bits === undefined ? most : Number(bits), version === 6 ? 'ipv6' : 'ipv4');
    } else if (bits === undefined && HOST.test(entry.toLowerCase())) hosts.add(entry.toLowerCase());
    else wrong.push(entry);
  }
  if (wrong.length > 0) return wrong;
  return {
    allowsHost: (host) => hosts.has(host.toLowerCase()),
    allowsAddress: (address) => ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'),
  };
}

function isBits(bits: string, most: number): boolean {
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most;
}

/**
 * INVARIANT: anything that is not known to be globally reachable is not. An address that holds an IPv4 address
 * (mapped, NAT64, 6to4) is judged by that one, because that is where packets end up.
 */
export function isGloballyReachable(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast';
  const v6 = parsed as ipaddr.IPv6;
  const held = heldAddress(v6);
  if (held !== null) return isGloballyReachable(held);
  return v6.range() === 'unicast' && v6.match(GLOBAL_UNICAST);
}

/** All of the IPv6 space that is assigned for global unicast. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const MAPPED = ipaddr.IPv6.parseCIDR('::ffff:0:0/96');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const SIX_TO_FOUR = ipaddr.IPv6.parseCIDR('2002::/16');

function heldAddress(address: ipaddr.IPv6): string | null {
  const bytes = address.toByteArray();
  if (address.match(MAPPED) || address.match(NAT64)) return bytes.slice(12).join('.');
  return address.match(SIX_TO_FOUR) ? bytes.slice(2, 6).join('.') : null;
}
