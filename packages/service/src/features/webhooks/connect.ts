/** Opens connections for webhooks, and checks the exact address that each one goes to. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { AllowedTargets } from '../../support/config/allowed-targets.ts';
import { isGloballyReachable } from './addresses.ts';

/** Resolves a name to its addresses, in the order in which to try them. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const ANSWER_WITHIN_MS = 15_000;
/** Long enough for a burst of events, short enough to leave no idle sockets around. */
const KEEP_ALIVE_MS = 5_000;
const ADDRESSES_TRIED = 3;

/** The endpoint has no address that webhooks may reach. */
export class AddressRefused extends Error {
  constructor() {
    super('the address is not globally reachable');
  }
}

async function resolveName(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * Has its own pool, follows no redirect and uses no proxy. INVARIANT: a name is resolved here, once for each
 * connection, and the socket goes to exactly the address that was checked, so a name that changes its address
 * in between reaches nothing.
 */
export function webhookAgent(allowed: AllowedTargets, resolve: Resolve = resolveName): Agent {
  const connectTo = buildConnector({ timeout: ANSWER_WITHIN_MS, autoSelectFamily: false, allowH2: false });
  return new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    pipelining: 1,
    maxHeaderSize: 16 * 1_024,
    connect(options, callback) {
      const host = options.hostname.startsWith('[') ? options.hostname.slice(1, -1) : options.hostname;
      const isHttp = options.protocol === 'http:';
      const next = (addresses: readonly string[]): void => {
        const [address, ...others] = addresses;
        if (address === undefined) {
          callback(new AddressRefused(), null);
          return;
        }
        const target = { ...options, hostname: address, host: options.host ?? host };
        connectTo(isIP(host) === 0 ? { ...target, servername: host } : target, (error, socket) => {
          if (error === null) callback(null, socket);
          else if (others.length > 0) next(others);
          else callback(error, null);
        });
      };
      permittedAddresses(host, isHttp, allowed, resolve).then(next, (error: Error) => callback(error, null));
    },
  });
}

async function permittedAddresses(
  host: string,
  isHttp: boolean,
  allowed: AllowedTargets,
  resolve: Resolve,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const isHostAllowed = allowed.allowsHost(host);
  const isPermitted = (address: string): boolean =>
    isIP(address) !== 0 &&
    (isHostAllowed || allowed.allowsAddress(address) || (!isHttp && isGloballyReachable(address)));
  return addresses.filter(isPermitted).slice(0, ADDRESSES_TRIED);
}
