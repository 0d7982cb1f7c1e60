/** Limits webhooks to globally reachable unicast addresses unless the operator allows more. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * INVARIANT: an address that is not known to be globally reachable counts as unreachable. An address that holds
 * an IPv4 address (mapped, NAT64, 6to4) is judged by the IPv4 address, because that is where packets end up.
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
