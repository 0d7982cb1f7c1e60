/** How every adapter handles a pause that a person could resolve, in its real framework. */
import { type AllowDecision, createClient } from '@writecheck/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type HonestService,
  REVIEW_SCENARIOS,
  startHonestService,
} from '../../../conformance/client-kit/index.ts';
import type { StoppedCall } from '../src/guard-call.ts';
import { ARGS, intentOf, kitFailures, kitTest, type Loop, type RunLoop, TOOL } from './adapter-suite.ts';

/** `runLoop` returns the loop in which the model's call has this id. */
export function describeReviews(name: string, runLoop: (id: string) => RunLoop): void {
  describe(`${name}, when a person could resolve the pause`, () => {
    let service: HonestService;
    beforeEach(async () => {
      service = await startHonestService();
    });
    afterEach(() => service.close());

    function calls(settings: Partial<Loop> = {}) {
      const written: unknown[] = [];
      const stops: StoppedCall[] = [];
      const faults: Error[] = [];
      const loop: Loop = {
        client: createClient({ baseUrl: service.baseUrl, apiKey: 'wck_dev_test' }),
        tool: TOOL,
        intent: intentOf,
        write: async (args: unknown, _decision?: AllowDecision) => {
          const fault = faults.shift();
          if (fault !== undefined) throw fault;
          written.push(args);
          return 'the contact was updated';
        },
        onStopped: (call) => void stops.push(call),
        ...settings,
      };
      // Ids of this test only: a finished call of one test must be unknown in the next.
      const test = crypto.randomUUID();
      const call = (id: string) => runLoop(`${id}-${test}`)(loop).catch((error: Error) => error.message);
      return { call, written, stops, faults };
    }

    it('the model reads that a person must approve, and the same call runs once they do', async () => {
      const { call, written, stops } = calls();
      const told = await call('call_1');
      const { id, intent } = service.reviews[0]!;
      const url = `http://localhost:8080/#/reviews/${id}`;
      for (const part of ['A person was asked', id, url, 'Repeating the same call', 'once they approve'])
        expect(told).toContain(part);
      expect(intent).toMatchObject({ metadata: { context: { arguments: ARGS } } });
      expect(stops).toMatchObject([{ review: { id, url, state: 'open' }, stopped: 'out_of_time' }]);
      await call('call_2');
      expect(written).toEqual([]);
      service.resolve(id, 'approved');
      expect(await call('call_3')).toContain('the contact was updated');
      expect(written).toEqual([ARGS]);
      expect(service.reviews).toHaveLength(1);
      // The approval was for one write.
      await call('call_4');
      expect(written).toEqual([ARGS]);
      expect(service.reviews).toHaveLength(2);
    });

    it('the model reads the comment of the reviewer who rejected it', async () => {
      const { call, written, stops } = calls();
      await call('call_1');
      service.resolve(service.reviews[0]!.id, 'rejected', 'ask Ada first');
      const told = await call('call_2');
      for (const part of ['rejected this write', 'ask Ada first', 'Do not repeat'])
        expect(told).toContain(part);
      expect(stops[1]).toMatchObject({ stopped: 'rejected' });
      expect(written).toEqual([]);
    });

    it('a write that failed and is safe to repeat gets its allow again, and the approval is not wasted', async () => {
      const { call, written, faults } = calls({ once: false });
      await call('call_1');
      service.resolve(service.reviews[0]!.id, 'approved');
      faults.push(new Error('the CRM answers 503'));
      await call('call_1');
      expect(written).toEqual([]);
      await call('call_1');
      expect(written).toEqual([ARGS]);
      expect(service.reviews).toHaveLength(1);
    });

    it('the reviewers read the requester and the reason, made from the call', async () => {
      const seen: unknown[] = [];
      const { call } = calls({
        reviewRequest: ({ tool, args, intent, context }) => {
          seen.push(context);
          const { id } = args as typeof ARGS;
          return {
            onBehalfOf: 'ada@example.com',
            justification: `${tool} of ${id}`,
            externalRef: `https://tickets.example/${intent.system}`,
          };
        },
      });
      await call('call_1');
      expect(service.reviews).toMatchObject([
        {
          askedBy: [
            {
              onBehalfOf: 'ada@example.com',
              justification: `${TOOL} of ${ARGS.id}`,
              externalRef: 'https://tickets.example/crm',
            },
          ],
        },
      ]);
      expect(seen).not.toContain(undefined);
    });

    it('a call whose requester is unknown opens no review and does not run', async () => {
      const { call, written, stops } = calls({
        reviewRequest: () => {
          throw new Error('nobody is signed in');
        },
      });
      const told = await call('call_1');
      expect(told).toContain('Nothing was written');
      expect(told).not.toContain('signed in');
      expect(stops).toMatchObject([{ error: new Error('nobody is signed in') }]);
      expect([service.reviews, service.requests, written]).toEqual([[], [], []]);
    });

    it('with `wait` the call waits for the approval', async () => {
      const { call, written } = calls({ review: 'wait', reviewWaitMs: 20_000 });
      const running = call('call_1');
      await expect.poll(() => service.reviews.length).toBe(1);
      service.resolve(service.reviews[0]!.id, 'approved');
      expect(await running).toContain('the contact was updated');
      expect(written).toEqual([ARGS]);
    });

    it('with `off` no review is opened', async () => {
      const { call, written } = calls({ review: 'off' });
      expect(await call('call_1')).not.toContain('was asked');
      expect(service.reviews).toEqual([]);
      expect(written).toEqual([]);
    });

    kitTest(
      'passes the part of the fail-closed kit that is about reviews',
      REVIEW_SCENARIOS,
      async (scenarios) => {
        const failures = await kitFailures(scenarios, ({ baseUrl, apiKey, timeoutMs, waitMs }) => {
          const client = createClient({ baseUrl, apiKey, timeoutMs });
          return (write) =>
            runLoop(crypto.randomUUID())({
              client,
              tool: TOOL,
              intent: intentOf,
              write: () => write().then(() => 'done'),
              review: 'wait',
              reviewWaitMs: waitMs,
            });
        });
        expect(failures).toEqual([]);
      },
    );
  });
}
