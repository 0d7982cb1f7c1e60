/** For tests of limits: a service with a clock of its own, a bundle that limits, and checks that draw. */
import { ask, type Reply } from './ask.ts';
import { startTestService, type TestService } from './start-service.ts';

export const NOON_MS = Date.parse('2026-11-17T12:00:00.000Z');

const PERMIT = { kind: 'Profile', id: 'free', match: { system: 'pay' }, permit: true };
const PACK = {
  kind: 'ControlPack',
  id: 'pack',
  controls: { approval: { assurance: 'attested', review: true } },
};

/** What the limits stand beside. */
export const BASE = [PACK, PERMIT];

export const PER_CUSTOMER = {
  kind: 'Limit',
  id: 'refunds',
  version: '1',
  match: { system: 'pay' },
  by: ['intent.metadata.context.customer'],
  max: 5,
  per: 'day',
};

export function refund(customer: unknown, amount?: unknown) {
  return { system: 'pay', operation: 'refund.create', metadata: { context: { customer, amount } } };
}

export interface LimitsKit {
  readonly service: TestService;
  /** Milliseconds that the service's clock is ahead of noon. */
  aheadMs: number;
  apply(...limits: readonly object[]): Promise<void>;
  check(
    intent: unknown,
    init?: { readonly key?: string; readonly headers?: Record<string, string> },
  ): Promise<Reply>;
  get(path: string, key?: string): Promise<Reply>;
}

export async function startLimits(settings: Record<string, string> = {}): Promise<LimitsKit> {
  const kit = { aheadMs: 0 };
  const service = await startTestService({ clock: () => NOON_MS + kit.aheadMs, settings });
  return Object.assign(kit, {
    service,
    async apply(...limits: readonly object[]) {
      const { status, text } = await ask(`${service.url}/v1/policies?confirmLoosening=true`, {
        key: service.ownerKey,
        method: 'PUT',
        json: { documents: [...BASE, ...limits] },
      });
      if (status !== 200) throw new Error(text);
    },
    check: (intent: unknown, init = {}) =>
      ask(`${service.url}/v1/check-write`, { key: service.liveKey, ...init, json: intent }),
    get: (path: string, key = service.ownerKey) => ask(`${service.url}${path}`, { key }),
  });
}

/** How often each decision was made. */
export function tally(replies: readonly Reply[]): { readonly [decision: string]: number } {
  const counts: { [decision: string]: number } = {};
  for (const { body, status } of replies) {
    const decision = body?.decision ?? String(status);
    counts[decision] = (counts[decision] ?? 0) + 1;
  }
  return counts;
}
