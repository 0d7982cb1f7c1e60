import type { WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { ED25519_JWK } from '../../test/keys.ts';
import { limitsOn } from '../apply-limits.ts';
import { decide } from '../decide.ts';
import { compile } from '../policy/compile.ts';
import { compareBundles } from './compare-bundles.ts';
import { mayLoosen } from './findings.ts';

const PERMIT = { kind: 'Profile', id: 'free', match: { system: 'pay' }, permit: true };
const PACK = {
  kind: 'ControlPack',
  id: 'pack',
  controls: {
    a: { assurance: 'attested', use: 'once' },
    b: { assurance: 'attested', use: 'once' },
    invoice: { facts: true, maxAge: '5m', sources: ['erp'], assurance: 'attested', bind: 'object' },
  },
};
const SOURCE = { kind: 'EvidenceSource', id: 'erp', keys: { keys: [ED25519_JWK] } };

function compiled(documents: readonly unknown[]) {
  const result = compile([PERMIT, PACK, SOURCE, ...documents]);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.faults));
  return result;
}

function limit(more: object = {}) {
  return { kind: 'Limit', id: 'x', version: '1', match: { system: 'pay' }, max: 5, per: 'day', ...more };
}

function compared(before: readonly unknown[], after: readonly unknown[]) {
  return compareBundles(compiled(before).documents, compiled(after).documents).findings;
}

function places(before: readonly unknown[], after: readonly unknown[]): readonly string[] {
  return compared(before, after).map(({ kind, id, pointer }) => `${kind} ${id} ${pointer}`.trim());
}

/** Costs slightly more than half of the budget at most. */
const COSTLY = 'intent.agentValue.contains(intent.metadata.text)';

test('removing a limit loosens, and adding one never does', () => {
  expect(places([limit()], [])).toEqual(['loosens x']);
  expect(places([], [limit()])).toEqual(['tightens x']);
  expect(places([limit({ writePolicy: 'observe' })], [])).toEqual([]);
  expect(places([limit()], [limit()])).toEqual([]);
});

test.each([
  [{}, { match: { system: 'pay', operation: 'o' } }, 'loosens x /match'],
  [{}, { match: { system: '*' } }, null],
  [{}, { when: 'intent.operation == "o"' }, 'loosens x /when'],
  [{ when: 'intent.operation == "o"' }, { when: 'intent.operation != "p"' }, 'loosens x /when'],
  [{ when: 'intent.operation == "o"' }, {}, null],
  [{ when: 'intent.metadata.a / 2.0 > 1.0' }, {}, 'loosens x /when'],
  [{ max: 5 }, { max: 5.5 }, 'loosens x /max'],
  [{ max: 5 }, { max: 4 }, 'tightens x /max'],
  [{ by: ['key'] }, { by: ['key', 'intent.system'] }, 'loosens x /by'],
  [{ by: ['key'] }, {}, 'loosens x /by'],
  [{}, { sum: 'intent.metadata.a' }, 'loosens x /sum'],
  [{ per: 'day' }, { per: '24h' }, 'loosens x /per'],
  [{}, { writePolicy: 'observe' }, 'loosens x /writePolicy'],
  [{}, { beyond: 'pause' }, null],
  [{ beyond: 'block' }, { beyond: 'pause' }, 'loosens x /beyond'],
  [{ beyond: 'pause' }, { beyond: 'block' }, 'tightens x /beyond'],
  [{ beyond: 'pause' }, { beyond: { require: ['a'] } }, 'loosens x /beyond'],
  [{ beyond: { require: ['a'] } }, { beyond: 'pause' }, 'tightens x /beyond'],
  [{ beyond: { require: ['a'] } }, { beyond: { require: ['b', 'a'] } }, null],
  [{ beyond: { require: ['a', 'b'] } }, { beyond: { require: ['b'] } }, 'loosens x /beyond/require'],
  [{ beyond: { require: ['a'] } }, { beyond: { require: ['b'] } }, 'loosens x /beyond/require'],
])('a limit with %j that gets %j: %s', (before, after, expected) => {
  expect(places([limit(before)], [limit(after)])).toEqual(expected === null ? [] : [expected]);
});

describe('if conditions of limits together may use up their budget', () => {
  const text = 'x'.repeat(16_000);
  const intent: WriteIntent = {
    system: 'pay',
    operation: 'o',
    agentValue: text,
    metadata: { text: `${text.slice(1)}y` },
  };
  const first = { ...limit({ id: 'a', max: 9 }), when: COSTLY };
  const second = { ...limit({ id: 'b', max: 9 }), when: COSTLY };
  const { when: _gone, ...unconditional } = first;

  function decisionUnder(documents: readonly object[]) {
    const { snapshot } = compiled(documents);
    const readings = limitsOn(intent, [], snapshot, 0, 'key_1').map(({ limit: { id }, group }) => {
      return { limit: id, group: group!.digest, drawn: '0', resetsAt: null };
    });
    const decision = decide(intent, [], snapshot, 0, { freezes: [], readings, firstKeyId: 'key_1' });
    return `${decision.decision} ${decision.reasonCode}`;
  }

  test('removing a condition may let another one succeed, so it is reported', () => {
    expect(decisionUnder([first, second])).toBe('pause policy_error');
    expect(decisionUnder([unconditional, second])).toMatch(/^allow /);
    expect(places([first, second], [unconditional, second])).toEqual(['loosens a /when']);
    expect(places([first], [unconditional])).toEqual([]);
  });

  test('one that only observes does not use the budget of those that enforce', () => {
    expect(places([first, { ...second, writePolicy: 'observe' }], [unconditional])).toEqual([]);
  });

  test('facts that a condition may no longer find are reported too', () => {
    const reading = { ...second, when: `facts.invoice.paid || ${COSTLY}` };
    const strict = {
      ...PACK,
      controls: { ...PACK.controls, invoice: { ...PACK.controls.invoice, maxAge: '1m' } },
    };
    const withPack = (pack: object, ...limits: readonly object[]) => {
      const result = compile([PERMIT, SOURCE, pack, ...limits]);
      if (result.kind === 'invalid') throw new Error(JSON.stringify(result.faults));
      return result.documents;
    };
    const loosened = (...limits: readonly object[]) =>
      compareBundles(withPack(PACK, ...limits), withPack(strict, ...limits)).findings.some(mayLoosen);
    expect(loosened(reading)).toBe(false);
    expect(loosened(first, reading)).toBe(true);
  });
});

test('a removed key is unclear if a condition that could fail reads what its source signs', () => {
  const without = (...limits: readonly object[]) => {
    const [before, after] = [SOURCE, { ...SOURCE, keys: { keys: [] } }].map((source) => {
      const result = compile([PERMIT, PACK, source, ...limits]);
      if (result.kind === 'invalid') throw new Error(JSON.stringify(result.faults));
      return result.documents;
    });
    return compareBundles(before!, after!).findings.map(({ kind }) => kind);
  };
  expect(without(limit({ when: 'facts.invoice.total > 5.0' }))).toEqual(['tightens']);
  expect(without(limit({ when: 'facts.invoice.total / 2.0 > 5.0' }))).toEqual(['unclear']);
  expect(without(limit({ when: 'intent.metadata.total / 2.0 > 5.0' }))).toEqual(['tightens']);
});
