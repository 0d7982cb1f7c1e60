/** The hosts and address ranges that an operator allows webhooks to reach. */
import { BlockList, isIP } from 'node:net';

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
