import { canonicalJson } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { type Leaf, leafBytes, leafText, parseLeaf } from './leaf.ts';

function digest(digit: string) {
  return `sha256:${digit.repeat(64)}`;
}

const LEAF: Leaf = {
  log: 'w1',
  decision_id: 'dec_0197',
  audit_id: 'aud_0197',
  workspace: 'ws_0197',
  keyId: 'key_0197',
  keyKind: 'live',
  timestamp: '2026-11-15T04:00:00.000Z',
  decision: 'allow',
  evaluatedDecision: 'allow',
  reason_code: 'requirements_met',
  intentDigest: digest('a'),
  policyRef: digest('b'),
  validUntil: '2026-11-15T04:05:00.000Z',
  recordDigest: digest('c'),
};

function bytesOf(text: string) {
  return new TextEncoder().encode(text);
}

const word = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.isWellFormed());
const instant = fc
  .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
const decision = fc.constantFrom('allow' as const, 'pause' as const, 'block' as const);
const anyDigest = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 64, maxLength: 64 })
  .map((digits) => `sha256:${digits.join('')}`);

const anyLeaf: fc.Arbitrary<Leaf> = fc.record({
  log: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/),
  decision_id: word,
  audit_id: word,
  workspace: word,
  keyId: word,
  keyKind: fc.constantFrom('development' as const, 'live' as const),
  timestamp: instant,
  decision,
  evaluatedDecision: decision,
  reason_code: word,
  intentDigest: anyDigest,
  policyRef: fc.option(anyDigest),
  validUntil: fc.option(instant),
  recordDigest: anyDigest,
});

describe('leaf', () => {
  it('is written in the RFC 8785 form, whatever its texts hold', () => {
    fc.assert(fc.property(anyLeaf, (leaf) => leafText(leaf) === canonicalJson(leaf)));
  });

  it('is read back from its bytes unchanged', () => {
    fc.assert(
      fc.property(anyLeaf, (leaf) => {
        expect(parseLeaf(leafBytes(leaf))).toEqual(leaf);
      }),
    );
  });

  it('holds exactly the published members', () => {
    expect(Object.keys(JSON.parse(leafText(LEAF))).sort()).toEqual(Object.keys(LEAF).sort());
    expect(Object.keys(LEAF)).toHaveLength(14);
  });

  it('has no second spelling that parses', () => {
    const text = leafText(LEAF);
    const others = [
      ` ${text}`,
      `${text}\n`,
      `\ufeff${text}`,
      text.replace('"live"', '"\\u006cive"'),
      text.replace('{"audit_id":"aud_0197",', '{').replace('}', ',"audit_id":"aud_0197"}'),
      text.replace('"keyKind":"live"', '"keyKind":"live","keyKind":"live"'),
      text.replace('"log"', '"extra":1,"log"'),
      text.replace('{', '{"__proto__":{},'),
      `[${text}]`,
      'null',
      '',
    ];
    for (const other of others) {
      expect(other).not.toBe(text);
      expect(parseLeaf(bytesOf(other)), other).toBeNull();
    }
    expect(parseLeaf(bytesOf(text))).toEqual(LEAF);
  });

  it('is refused if a member is missing or of the wrong kind', () => {
    const wrong: Record<keyof Leaf, readonly unknown[]> = {
      log: ['', 'a b', 'a\nb', 'a+b', '../x', 1, null],
      decision_id: ['', 1, null, '\ud800'],
      audit_id: ['', 1, null],
      workspace: ['', 1, null],
      keyId: ['', 1, null],
      keyKind: ['owner', null, ''],
      timestamp: [null, '2026-02-30T00:00:00.000Z', '2026-11-15T04:00:00Z', '2026-11-15T04:00:00.000', 1, ''],
      decision: ['ALLOW', null, ''],
      evaluatedDecision: ['ALLOW', null, ''],
      reason_code: ['', null],
      intentDigest: [null, 'sha256:', digest('A'), `${digest('a')}0`],
      policyRef: ['', digest('g'), 1],
      validUntil: ['', '2026-11-15', 1],
      recordDigest: [null, '', digest('a').slice(1)],
    };
    for (const [member, values] of Object.entries(wrong)) {
      for (const value of [...values, undefined]) {
        const leaf = { ...LEAF, [member]: value } as unknown as Leaf;
        expect(parseLeaf(leafBytes(leaf)), `${member}: ${String(value)}`).toBeNull();
      }
    }
  });

  it('is refused if its bytes are not UTF-8', () => {
    const bytes = leafBytes(LEAF);
    bytes[bytes.indexOf(0x77)] = 0xff;
    expect(parseLeaf(bytes)).toBeNull();
  });
});
