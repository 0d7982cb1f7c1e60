import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { canonicalJson } from './canonical-json.ts';
import { canonicalIntent, DIGEST_MEMBERS, type DigestInput, intentDigest } from './intent-digest.ts';
import { intentFromValue } from './parse-intent.ts';

const VECTORS: readonly { intent: DigestInput; canonical: string; digest: string }[] = [
  {
    intent: {
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
    } as DigestInput,
    canonical:
      '{"agentValue":"NET30","authorityFound":true,"authoritySource":"vendor-master","authorityValue":"NET30","field":"payment_terms","metadata":{"agent":"ap-bot","context":{"amount":12.5,"note":"\u00e9\u20ac\u2028\\""}},"objectRef":"V-1001","objectType":"vendor","operation":"vendor.update","system":"erp"}',
    digest: 'sha256:f323604c5153b624c15b1e084f66e9aa57ad4855ae3da2517e6a4d3bd2c9aeec',
  },
  {
    intent: {
      system: 'pay',
      operation: 'refund.create',
      workflowId: null,
      metadata: { context: { z: 1, a: [true, null, 0.000001, 1e-7] } },
    },
    canonical:
      '{"metadata":{"context":{"a":[true,null,0.000001,1e-7],"z":1}},"operation":"refund.create","system":"pay"}',
    digest: 'sha256:78874aadce46552d677adf544e31ae984e2f733148e12fdb31c808e351aaed37',
  },
  {
    intent: {
      system: 'crm',
      objectType: 'Straße',
      objectRef: '𝔘',
      field: '金額',
      agentValue: '',
      extra: 'ignored',
    } as DigestInput,
    canonical: '{"agentValue":"","field":"金額","objectRef":"𝔘","objectType":"Straße","system":"crm"}',
    digest: 'sha256:8d9d304bd3fa453df8c53a5f7e8feec7f511a5d7f1be28b3a7b424fd5536d575',
  },
];

describe('the digest of an intent', () => {
  test.each(VECTORS)('vector %#', ({ intent, canonical, digest }) => {
    expect(canonicalIntent(intent)).toBe(canonical);
    expect(intentDigest(intent)).toBe(digest);
    const parsed = intentFromValue(intent);
    expect(parsed.kind === 'intent' && intentDigest(parsed.intent)).toBe(digest);
  });

  test('covers every frozen member and nothing else', () => {
    expect([...DIGEST_MEMBERS]).toEqual([
      'agentValue',
      'authorityFound',
      'authoritySource',
      'authorityValue',
      'field',
      'metadata',
      'objectRef',
      'objectType',
      'operation',
      'system',
      'workflowId',
    ]);
    for (const member of DIGEST_MEMBERS) {
      expect(intentDigest({ [member]: 'x' })).not.toBe(intentDigest({}));
      expect(intentDigest({ [member]: null })).toBe(intentDigest({}));
      expect(intentDigest({ [member]: undefined })).toBe(intentDigest({}));
    }
    expect(canonicalIntent({ authorityFound: false, agentValue: '' })).toBe(
      '{"agentValue":"","authorityFound":false}',
    );
  });

  test('is correct for unusual values in any member', () => {
    for (const member of DIGEST_MEMBERS) {
      expect(() => canonicalIntent({ system: 'erp', [member]: '\ud800' })).toThrow();
      const odd = { '10': 1, '9': 2, a: undefined };
      expect(canonicalIntent({ [member]: odd, metadata: odd })).toBe(
        canonicalJson({ [member]: odd, metadata: odd }),
      );
    }
    expect(() => canonicalIntent({ metadata: { note: ['\udc00'] } })).toThrow();
  });

  test('covers the RFC 8785 form of those members', () => {
    const member = fc.constantFrom(...DIGEST_MEMBERS);
    fc.assert(
      fc.property(fc.dictionary(member, fc.jsonValue({ maxDepth: 3 })), (intent) => {
        const sent = Object.fromEntries(Object.entries(intent).filter(([, value]) => value !== null));
        expect(canonicalIntent(intent)).toBe(canonicalJson(sent));
      }),
      { numRuns: 1_000 },
    );
  });
});
