import { intentDigest as intentDigestOfContract } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { digestOf, hex, intentDigest, snapshotIntent } from './snapshot-intent.ts';

const intent = { system: 'crm', objectType: 'contact', objectRef: 'c-1', field: 'email', agentValue: 'é' };

async function sentAndDigested(value: unknown) {
  const snapshot = snapshotIntent(value);
  if (snapshot.kind === 'unusable') return undefined;
  return { sent: JSON.parse(snapshot.json), digest: await digestOf(snapshot) };
}

describe('a snapshot', () => {
  it('has the digest that the contract gives to exactly the sent bytes', async () => {
    const members = fc.record(
      {
        system: fc.string(),
        field: fc.string(),
        metadata: fc.dictionary(fc.string(), fc.jsonValue()),
        runId: fc.string(),
        workflowId: fc.constantFrom(null, 'w'),
        agentValue: fc.jsonValue(),
        authorityFound: fc.boolean(),
      },
      { requiredKeys: ['system'] },
    );
    await fc.assert(
      fc.asyncProperty(members, async (value) => {
        const taken = await sentAndDigested(value);
        expect(taken?.digest).toBe(intentDigestOfContract(JSON.parse(JSON.stringify(value))));
      }),
      { numRuns: 1000 },
    );
  });

  it('has the digest of a plain intent', async () => {
    expect((await sentAndDigested(intent))?.digest).toBe(intentDigestOfContract(intent));
  });

  it('reads a getter once', async () => {
    let reads = 0;
    const tricky = {
      ...intent,
      get agentValue() {
        reads += 1;
        return `value ${reads}`;
      },
    };
    const taken = await sentAndDigested(tricky);
    expect(reads).toBe(1);
    expect(taken?.sent.agentValue).toBe('value 1');
    expect(taken?.digest).toBe(intentDigestOfContract({ ...intent, agentValue: 'value 1' }));
  });

  it('digests the result of toJSON and not the content of the object', async () => {
    const tricky = { ...intent, toJSON: () => ({ ...intent, agentValue: 'other' }) };
    const taken = await sentAndDigested(tricky);
    expect(taken?.digest).toBe(intentDigestOfContract({ ...intent, agentValue: 'other' }));
  });

  it('neither digests nor sends inherited members', async () => {
    const taken = await sentAndDigested(
      Object.create(intent, { system: { value: 'crm', enumerable: true } }),
    );
    expect(taken).toEqual({ sent: { system: 'crm' }, digest: intentDigestOfContract({ system: 'crm' }) });
  });

  it('never digests a name that was misread', () => {
    // V8 reads the name as the backslash that it saw in that place.
    JSON.parse('{"system":"crm","operation":"x","metadata":{"a":1,"\\\\":1}}');
    const taken = snapshotIntent({ system: 'crm', operation: 'x', metadata: { a: 1, '"': 2 } });
    if (taken.kind === 'snapshot') expect(taken.canonical).toContain('{"\\"":2,"a":1}');
  });

  it('treats null as omitted, as the service does', async () => {
    expect((await sentAndDigested({ ...intent, workflowId: null }))?.digest).toBe(
      intentDigestOfContract(intent),
    );
  });
});

describe('an intent is unusable', () => {
  const circular: Record<string, unknown> = { system: 'crm' };
  circular.metadata = circular;
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['text', 'crm'],
    ['a number', 5],
    ['an array', [intent]],
    ['a function', () => intent],
    ['circular', circular],
    ['with a bigint', { ...intent, metadata: { amount: 1n } }],
    [
      'with a getter that throws',
      {
        get system() {
          throw new Error('no');
        },
      },
    ],
    ['with a toJSON that gives nothing', { toJSON: () => undefined }],
    ['with a lone surrogate', { ...intent, agentValue: '\ud800' }],
  ])('if it is %s', (_, value) => {
    expect(snapshotIntent(value)).toEqual({ kind: 'unusable' });
  });
});

it('writes bytes as hex of two digits each', () => {
  expect(hex(new Uint8Array([0, 1, 15, 16, 255]))).toBe('00010f10ff');
});

describe('intentDigest', () => {
  /** The vectors of v1; the contract has them with their canonical forms. */
  it.each([
    [
      {
        system: 'erp',
        objectType: 'vendor',
        objectRef: 'V-1001',
        field: 'payment_terms',
        agentValue: 'NET30',
        authorityValue: 'NET30',
        authoritySource: 'vendor-master',
        authorityFound: true,
        operation: 'vendor.update',
        runId: 'run-1',
        requiredControls: ['identity'],
        controlEvidence: [],
        schemaVersion: 'write_intent.v1',
        metadata: { agent: 'ap-bot', context: { amount: 12.5, note: '\u00e9\u20ac\u2028"' } },
      },
      'sha256:f323604c5153b624c15b1e084f66e9aa57ad4855ae3da2517e6a4d3bd2c9aeec',
    ],
    [
      {
        system: 'pay',
        operation: 'refund.create',
        workflowId: null,
        metadata: { context: { z: 1, a: [true, null, 0.000001, 1e-7] } },
      },
      'sha256:78874aadce46552d677adf544e31ae984e2f733148e12fdb31c808e351aaed37',
    ],
    [
      {
        system: 'crm',
        objectType: 'Straße',
        objectRef: '𝔘',
        field: '金額',
        agentValue: '',
        extra: 'ignored',
      },
      'sha256:8d9d304bd3fa453df8c53a5f7e8feec7f511a5d7f1be28b3a7b424fd5536d575',
    ],
  ])('is that of the contract, vector %#', async (intent, digest) => {
    expect(await intentDigest(intent)).toBe(digest);
  });

  it('rejects what cannot be sent', async () => {
    await expect(intentDigest({ system: 1n })).rejects.toThrow(TypeError);
  });
});
