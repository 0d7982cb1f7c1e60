/** What every adapter has to show, in its real framework with a scripted model. */
import { type AllowDecision, type Client, createClient } from '@writecheck/client';
import { describe, expect, it } from 'vitest';
import {
  type Attack,
  answerWith,
  runFailClosedKit,
  SCENARIOS,
  type Scenario,
  type ScenarioResult,
  startHostileServer,
} from '../../../conformance/client-kit/index.ts';
import type { GuardSettings, StoppedCall } from '../src/guard-call.ts';
import { InvalidArguments } from '../src/invalid-arguments.ts';

export const TOOL = 'update_contact';
export const ARGS = { id: 'c-1042', email: 'ada@example.org' };

export interface Loop extends GuardSettings {
  /** The tool the model will call. */
  readonly tool: string;
  readonly intent: (args: unknown) => { readonly system: string };
  /** `decision` is the result of `decisionOf`; undefined from a host that runs the tool itself. */
  readonly write: (args: unknown, decision?: AllowDecision) => Promise<string>;
}

/** Lets the model call the tool once with `ARGS` and returns everything the model saw afterwards. */
export type RunLoop = (loop: Loop) => Promise<string>;

export function intentOf(args: unknown) {
  const { id, email } = args as typeof ARGS;
  return { system: 'crm', objectType: 'contact', objectRef: id, field: 'email', agentValue: email };
}

/** The intent that is sent: that of the mapping with all arguments of the call. */
export function sentIntent(intent: { readonly system: string } = intentOf(ARGS)) {
  return { ...intent, metadata: { context: { arguments: ARGS } } };
}

function stopped(decision: string, reason_code: string) {
  return answerWith({
    decision,
    allowed: false,
    reason: 'Control `approval` has no evidence; supply a PASS.',
    reason_code,
    remediation: [{ gate: 'control', controlId: 'approval', action: 'supply', need: 'a PASS' }],
  });
}

async function against(
  answer: ((attack: Attack) => void) | 'nobody',
  runLoop: RunLoop,
  change: Partial<Loop> = {},
) {
  const server = await startHostileServer(answer === 'nobody' ? () => {} : answer, 2000);
  if (answer === 'nobody') await server.close();
  const written: unknown[] = [];
  const stops: StoppedCall[] = [];
  const told = await runLoop({
    client: createClient({ baseUrl: server.baseUrl, apiKey: 'wck_dev_test', timeoutMs: 2000, retries: 0 }),
    tool: TOOL,
    intent: intentOf,
    write: async (args) => {
      written.push(args);
      return 'the contact was updated';
    },
    onStopped: (call) => void stops.push(call),
    ...change,
  });
  await server.close();
  return { told, written, stops };
}

export function describeAdapter(name: string, runLoop: RunLoop): void {
  describe(name, () => {
    it('runs the tool once on an allow, with the checked arguments', async () => {
      let asked: unknown;
      const { told, written, stops } = await against((attack) => {
        asked = JSON.parse(attack.body);
        answerWith({})(attack);
      }, runLoop);
      expect(asked).toEqual(sentIntent());
      expect(written).toEqual([ARGS]);
      expect(told).toContain('the contact was updated');
      expect(stops).toEqual([]);
    });

    it.each([
      ['pause', 'CONTROL_EVIDENCE_MISSING', 'paused for review'],
      ['block', 'CONTROL_FAILED', 'blocked'],
    ])('does not run the tool on a %s, and the model learns why', async (decision, code, words) => {
      const { told, written, stops } = await against(stopped(decision, code), runLoop);
      expect(written).toEqual([]);
      for (const part of ['Not executed', words, 'approval', code, 'supply', 'Nothing was written']) {
        expect(told).toContain(part);
      }
      expect(stops).toMatchObject([{ tool: TOOL, decision: { decision }, intent: intentOf(ARGS) }]);
    });

    it('does not run the tool if the service is down, and the model learns that', async () => {
      const { told, written, stops } = await against('nobody', runLoop);
      expect(written).toEqual([]);
      expect(told).toContain('no valid decision');
      expect(told).not.toContain('wck_dev_test');
      expect(stops).toMatchObject([{ decision: { reason_code: 'no_valid_decision', origin: 'client' } }]);
    });

    it('does not run the tool if the mapping throws, and hides the error from the model', async () => {
      const intent = () => {
        throw new Error('a secret of the application');
      };
      const { told, written, stops } = await against(answerWith({}), runLoop, { intent });
      expect(written).toEqual([]);
      expect(told).toContain('cannot build an intent');
      expect(told).not.toContain('a secret');
      expect(stops).toMatchObject([{ error: new Error('a secret of the application') }]);
    });

    it('does not run the tool on a mistake of the model, and the model learns what to correct', async () => {
      const intent = () => {
        throw new InvalidArguments('the arguments have no `content`');
      };
      const { told, written, stops } = await against(answerWith({}), runLoop, { intent });
      expect(written).toEqual([]);
      for (const part of ['the arguments have no `content`', 'Nothing was written', 'call it again'])
        expect(told).toContain(part);
      expect(told).not.toContain('do not try another way');
      expect(stops).toMatchObject([{ decision: { cause: { kind: 'invalid_intent' } } }]);
    });

    it('does not run the tool if the check and `onStopped` both fail', async () => {
      const written: unknown[] = [];
      const client = { guardWrite: () => Promise.reject(new Error('broken')) } as unknown as Client;
      await runLoop({
        client,
        tool: TOOL,
        intent: intentOf,
        write: async (args) => {
          written.push(args);
          return '';
        },
      }).catch(() => {});
      expect(written).toEqual([]);
      const onStopped = () => Promise.reject(new Error('the queue is full'));
      const failing = against(stopped('pause', 'CONTROL_FAILED'), runLoop, {
        onStopped,
        write: async (args) => {
          written.push(args);
          return '';
        },
      });
      await failing.catch(() => {});
      expect(written).toEqual([]);
    });

    kitTest('passes the fail-closed kit', SCENARIOS, async (scenarios) => {
      const failures = await kitFailures(scenarios, ({ baseUrl, apiKey, timeoutMs }) => {
        const client = createClient({ baseUrl, apiKey, timeoutMs });
        return (write) =>
          runLoop({ client, tool: TOOL, intent: intentOf, write: () => write().then(() => 'done') });
      });
      expect(failures).toEqual([]);
    });
  });
}

const EVERY = 24;

/**
 * The client below every adapter passes all scenarios in every run; an adapter passes a part of them, and all
 * at night.
 */
export function kitTest(
  name: string,
  scenarios: readonly Scenario[],
  run: (scenarios: readonly Scenario[]) => Promise<void>,
): void {
  const some = scenarios.filter((_, i) => i % EVERY === 0);
  it(`${name}, at one in ${EVERY} of its scenarios`, { timeout: 180_000 }, () => run(some));
  it(name, { tags: 'nightly', timeout: 180_000 }, () => run(scenarios));
}

/** A valid allow may arrive after the timeout on a busy machine; with more time it must run. */
export async function kitFailures(
  scenarios: readonly Scenario[],
  makeGuard: Parameters<typeof runFailClosedKit>[0],
): Promise<readonly ScenarioResult[]> {
  const { failures, results } = await runFailClosedKit(makeGuard, { scenarios, concurrency: 32 });
  expect(results).toHaveLength(scenarios.length);
  const isLate = ({ expect, writes }: ScenarioResult) => expect === 'executed' && writes === 0;
  const late = failures.filter(isLate).map(({ scenario }) => scenario);
  if (late.length === 0) return failures;
  const again = scenarios.filter(({ name }) => late.includes(name));
  const second = await runFailClosedKit(makeGuard, { scenarios: again, timeoutMs: 20_000 });
  return [...failures.filter((failure) => !isLate(failure)), ...second.failures];
}

/** Tests adapters whose framework passes something to the tool with its arguments. */
export function describeHandOver(name: string, runLoop: RunLoop): void {
  it(`${name} gives the tool its decision`, async () => {
    const seen: unknown[] = [];
    const write = async (_args: unknown, decision?: AllowDecision) => {
      seen.push(decision?.decision_id);
      return 'done';
    };
    await against(answerWith({ decision_id: 'dec_1' }), runLoop, { write });
    expect(seen).toEqual(['dec_1']);
  });
}
