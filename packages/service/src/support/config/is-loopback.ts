/** Says whether an address to listen on can be reached from this machine alone. */
import { BlockList } from 'node:net';
import { familyOf } from './allowed-targets.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Any other name counts as reachable by others, whatever it resolves to today. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || LOOPBACK.check(host, familyOf(host));
}
