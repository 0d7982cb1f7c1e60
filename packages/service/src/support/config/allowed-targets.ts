/** The hosts and address ranges that an operator allows webhooks to reach. */
import { BlockList, isIP } from 'node:net';

/** The hosts and ranges in `WRITECHECK_WEBHOOK_ALLOW`, which may be http and have any address. */
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
    if (addRange(ranges, entry)) continue;
    if (HOST.test(entry.toLowerCase())) hosts.add(entry.toLowerCase());
    else wrong.push(entry);
  }
  if (wrong.length > 0) return wrong;
  return {
    allowsHost: (host) => hosts.has(host.toLowerCase()),
    allowsAddress: (address) => ranges.check(address, familyOf(address)),
  };
}

export function familyOf(address: string): 'ipv6' | 'ipv4' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Adds an address, or a range such as `10.1.0.0/16`; false if it is neither. */
export function addRange(list: BlockList, entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  const isBits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (version === 0 || rest.length > 0 || !isBits) return false;
  list.addSubnet(address, Number(bits ?? most), familyOf(address));
  return true;
}
