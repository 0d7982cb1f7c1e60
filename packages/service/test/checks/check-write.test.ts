import { decisionResponseText, decisionTexts, intentDigest, parseIntent } from '@writecheck/contract';
import { decide, EMPTY_SNAPSHOT } from '@writecheck/engine';
import { readRecord, recordAround } from '@writecheck/ledger';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  COMMAND_LINE,
  commitTo,
  newRequest,
} from '../../../store/test/store-contract/store-contract-values.ts';
import { DEVELOPMENT_CHECKS_A_MONTH } from '../../src/features/keys/allowance.ts';
import { APPROVAL_ONCE, approved, type CheckKit, intentOf, openKit } from '../check-kit.ts';

let kit: CheckKit;
beforeAll(async () => {
  kit = await openKit();
});
afterAll(() => kit.close());

describe('the record', () => {
  test('exists when the response does, and decides again to the same bytes', async () => {
    const body = ` ${JSON.stringify(intentOf({ agentValue: 'ünïcode "quoted" ,"intent":{ \\' }), null, 2)}\n`;
    const { json, text } = await kit.ask(body);
    expect(json).toMatchObject({ decision: 'allow', allowed: true, success: true });
    const found = await kit.store.findDecision(kit.workspace, json.decision_id);
    const record = readRecord(found!.record);
    expect(record.intentText).toBe(body);
    const parsed = parseIntent(Buffer.from(record.intentText));
    if (parsed.kind !== 'intent') throw new Error(parsed.message);
    expect(record.intentDigest).toBe(intentDigest(parsed.intent));
    const again = decide(parsed.intent, record.facts, EMPTY_SNAPSHOT, Date.parse(record.timestamp));
    const stored = Buffer.from(found!.record).toString();
    const { before } = recordAround({ ...record, decision: again }, decisionTexts(again), Buffer.from(body));
    expect(stored).toBe(`${before}${body}}`);
    const { decisionId, auditId, requestId, traceId, warnings } = record;
    const timestampMs = Date.parse(record.timestamp);
    const envelope = { decisionId, auditId, requestId, traceId, timestampMs, warnings };
    expect(decisionResponseText(again, { ...envelope, intentDigest: record.intentDigest })).toBe(text);
  });
});

test('a check whose basis is in memory is decided before its caller continues, so that its workspace is charged', async () => {
  await kit.ask(intentOf());
  // The first check may have taken a whole turn; then the next one waits for another.
  await new Promise(setImmediate);
  const submit = vi.spyOn(kit.parts.commits, 'submit');
  const asking = kit.ask(intentOf());
  expect(submit).toHaveBeenCalledOnce();
  submit.mockRestore();
  await asking;
});

describe('what is not decided', () => {
  test('is neither recorded nor charged', async () => {
    const size = async () => (await kit.store.logs())[0]!.size;
    const before = await size();
    expect((await kit.ask('{')).json.error.code).toBe('malformed_json');
    expect((await kit.ask(intentOf({ system: 5 }))).json.error.code).toBe('invalid_intent');
    expect((await kit.ask(intentOf({ required_controls: [] }))).json.error.code).toBe('unknown_member');
    const beyond = await kit.ask(intentOf(), { scope: { allowedSystems: ['erp'] } });
    expect([beyond.status, beyond.json.error.code]).toEqual([403, 'insufficient_scope']);
    const unnamed = await kit.ask(intentOf(), { scope: { allowedWorkflows: ['w'] } });
    expect([unnamed.status, unnamed.json.error.code]).toEqual([403, 'insufficient_scope']);
    expect(await size()).toBe(before);
  });

  test('a policy that cannot be read decides nothing', async () => {
    const { workspace, store } = kit;
    await store.appendPolicy({
      ...{
        workspace,
        digest: `sha256:${'0'.repeat(64)}`,
        documents: '[]',
        by: COMMAND_LINE,
        createdAtMs: 1,
        rollbackOf: null,
      },
    });
    const second = await kit.another();
    const refused = await second.ask(intentOf());
    expect([refused.status, refused.json.error.code]).toEqual([503, 'store_unavailable']);
    expect(refused.json.error.message).toContain('does not compile');
    expect(refused.json.decision).toBeUndefined();
    await second.close();
    await kit.applyPolicy([]);
  });
});

describe('the month', () => {
  test('ends exactly with its last check, says when it starts again, and starts again', async () => {
    const own = await openKit();
    const { workspace } = own;
    own.clockMs = Date.UTC(2026, 10, 30, 23, 59, 59, 0);
    await commitTo(
      own.store,
      Array.from({ length: DEVELOPMENT_CHECKS_A_MONTH - 1 }, () =>
        newRequest(workspace, {
          atMs: own.clockMs,
          keyKind: 'development',
          limit: DEVELOPMENT_CHECKS_A_MONTH,
        }),
      ),
    );

    const last = await own.ask(intentOf(), { kind: 'development' });
    expect(last.status).toBe(200);
    expect(last.headers).toMatchObject({ 'ratelimit-policy': '"development";q=1000;w=2592000' });
    expect(last.headers.ratelimit).toBe('"development";r=0;t=1');
    const over = await own.ask(intentOf(), { kind: 'development' });
    expect([over.status, over.json.error.code, over.headers['retry-after']]).toEqual([
      429,
      'quota_exceeded',
      '1',
    ]);
    expect(over.json.decision).toBeUndefined();
    expect((await own.ask(intentOf(), { kind: 'live' })).status).toBe(200);

    own.clockMs = Date.UTC(2026, 11, 1);
    const next = await own.ask(intentOf(), { kind: 'development' });
    expect([next.status, next.headers.ratelimit]).toEqual([200, `"development";r=999;t=${31 * 86_400}`]);
    await own.close();
  });
});

describe('time', () => {
  test('never runs backwards, and a clock far behind decides nothing', async () => {
    const own = await openKit();
    const first = await own.ask(intentOf());
    own.clockMs -= 60_000;
    const second = await own.ask(intentOf());
    expect(second.json.timestamp).toBe(first.json.timestamp);
    own.clockMs -= 1;
    const third = await own.ask(intentOf());
    expect([third.status, third.json.error.code]).toEqual([503, 'clock_behind']);
    expect(third.headers['retry-after']).toBeDefined();
    // The same after a restart, when only the log remembers the time.
    const restarted = await own.another();
    restarted.clockMs = own.clockMs;
    expect((await restarted.ask(intentOf())).json.error.code).toBe('clock_behind');
    await restarted.close();
    await own.close();
  });
});

describe('attestations for one use', () => {
  test('are used up by the first allow, whoever requests it', async () => {
    const own = await openKit();
    await own.applyPolicy(APPROVAL_ONCE);
    const intent = approved(own.workspace, 'j1', own.clockMs);
    const answers = await Promise.all(Array.from({ length: 10 }, () => own.ask(intent)));
    expect(answers.filter(({ json }) => json.decision === 'allow')).toHaveLength(1);
    const denied = answers.find(({ json }) => json.decision !== 'allow')!;
    expect(denied.json.reason_code).toBe('CONTROL_EVIDENCE_UNTRUSTED');
    await own.close();
  });

  test('are used up by one of two concurrent checks, and by one of two processes', async () => {
    const own = await openKit();
    await own.applyPolicy(APPROVAL_ONCE);
    const second = await own.another();
    second.clockMs = own.clockMs;
    const twice = approved(own.workspace, 'j1', own.clockMs);
    const both = await Promise.all([own.ask(twice), own.ask(twice), own.ask(intentOf())]);
    expect(both.map(({ json }) => json.decision).sort()).toEqual(['allow', 'allow', 'pause']);
    const shared = approved(own.workspace, 'j2', own.clockMs);
    const answers = await Promise.all([own, second, own, second].map((one) => one.ask(shared)));
    expect(answers.filter(({ json }) => json.decision === 'allow')).toHaveLength(1);
    await second.close();
    await own.close();
  });

  test('block once they are revoked', async () => {
    const own = await openKit();
    await own.applyPolicy(APPROVAL_ONCE);
    await own.store.revokeAttestation(own.workspace, { source: 'desk', jti: 'j1' }, 1, null);
    const { json } = await own.ask(approved(own.workspace, 'j1', own.clockMs));
    expect([json.decision, json.reason_code]).toEqual(['block', 'CONTROL_EVIDENCE_REVOKED']);
    await own.close();
  });
});
