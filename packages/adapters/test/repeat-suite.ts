/**
 * Tests a single-use approval with a repeated tool call, in the real framework and with the real service.
 */
import { createClient, type WriteIntent } from '@writecheck/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoppedCall } from '../src/guard-call.ts';
import { ARGS, intentOf, type Loop, type RunLoop, sentIntent, TOOL } from './adapter-suite.ts';
import { type RealService, startRealService } from './real-service.ts';

/** `runLoop` returns the loop in which the model's call has this id. */
export function describeRepeats(name: string, runLoop: (id: string) => RunLoop): void {
  describe(`${name}, when a call is repeated`, () => {
    let service: RealService;
    beforeAll(async () => {
      service = await startRealService();
    }, 60_000);
    afterAll(() => service.stop());

    let calls = 0;
    /** A separate approved write, and the call that makes it. */
    async function approvedCall(fetch: typeof globalThis.fetch = globalThis.fetch) {
      calls += 1;
      const args = { ...ARGS, id: `c-${calls}` };
      const bare: WriteIntent = { ...intentOf(args), runId: 'r' };
      const controlEvidence = [await service.approve(sentIntent(bare))];
      const written: unknown[] = [];
      const stops: StoppedCall[] = [];
      const faults: Error[] = [];
      const loop: Loop = {
        client: createClient({ baseUrl: service.url, apiKey: service.apiKey, retries: 0, fetch }),
        tool: TOOL,
        intent: () => ({ ...bare, controlEvidence }),
        write: async () => {
          const fault = faults.shift();
          if (fault !== undefined) throw fault;
          written.push(1);
          return 'the contact was updated';
        },
        onStopped: (call) => void stops.push(call),
      };
      const run = (id: string, change: Partial<Loop> = {}) =>
        runLoop(id)({ ...loop, ...change }).catch((error: Error) => error.message);
      const fresh = async () => {
        const mine = [await service.approve(sentIntent(bare))];
        return () => ({ ...bare, controlEvidence: mine });
      };
      return { run, written, stops, faults, fresh };
    }

    it('a write that failed is not repeated, because it may have written', async () => {
      const { run, written, stops, faults } = await approvedCall();
      faults.push(new Error('the CRM answers 503'));
      await run('1');
      const told = await run('1');
      expect(written).toEqual([]);
      expect(stops).toMatchObject([{ stopped: 'taken', decision: { decision_id: expect.any(String) } }]);
      expect(told).toContain('may have made this change already');
    });

    it('a write that failed and is safe to repeat gets its allow again', async () => {
      const { run, written, stops, faults } = await approvedCall();
      faults.push(new Error('the CRM answers 503'));
      await run('1', { once: false });
      expect(written).toEqual([]);
      await run('1', { once: false });
      expect(stops).toEqual([]);
      expect(written).toEqual([1]);
    });

    it('four runs of one call at the same time write once, whatever evidence each brings', async () => {
      const { run, written, stops, fresh } = await approvedCall();
      await Promise.all(
        Array.from({ length: 4 }, async () => run('call_drawn_at_random', { intent: await fresh() })),
      );
      expect(written).toEqual([1]);
      expect(stops.map(({ stopped }) => stopped)).toEqual(['taken', 'taken', 'taken']);
    });

    it('a check whose response was lost gets its allow again, if the write is safe to repeat', async () => {
      let lost = 0;
      const { run, written, stops } = await approvedCall(async (...request) => {
        const response = await fetch(...request);
        lost += 1;
        if (lost === 1) throw new TypeError('fetch failed');
        return response;
      });
      await run('1', { once: false });
      expect(stops).toMatchObject([{ decision: { cause: { kind: 'connection_failed' } } }]);
      await run('1', { once: false });
      expect(stops).toHaveLength(1);
      expect(written).toEqual([1]);
    });

    it('another call of the same write cannot use the approval', async () => {
      const { run, written, stops } = await approvedCall();
      await run('1');
      await run('2');
      expect(written).toEqual([1]);
      expect(stops).toMatchObject([
        { decision: { decision: 'pause', reason_code: 'CONTROL_EVIDENCE_UNTRUSTED' } },
      ]);
    });

    it('two runs with the same counted call id do not share an approval', async () => {
      const { run, written, stops } = await approvedCall();
      await Promise.all([run('call_1'), run('call_1')]);
      await run('call_1');
      expect(written).toEqual([1]);
      expect(stops).toHaveLength(2);
    });

    it('a name from the application identifies the write, whatever the id of the call', async () => {
      const { run, written, stops } = await approvedCall();
      const idempotencyKey = () => `contact ${calls}`;
      await run('1', { idempotencyKey });
      await run('2', { idempotencyKey });
      expect(written).toEqual([1]);
      expect(stops).toMatchObject([{ stopped: 'taken' }]);
    });

    it('a pause is not final: once the policy allows it, the same call runs', async () => {
      const { run, written, stops } = await approvedCall();
      const unsigned = { controlId: 'approval', source: 'anybody', result: 'PASS' } as const;
      const intent = () => ({ ...intentOf(ARGS), controlEvidence: [unsigned] });
      await run('1', { intent });
      expect(stops).toMatchObject([{ decision: { decision: 'pause' } }]);
      await service.applyPolicy({ assured: false });
      await run('1', { intent });
      await service.applyPolicy({ assured: true });
      expect(stops).toHaveLength(1);
      expect(written).toEqual([1]);
    });
  });
}
