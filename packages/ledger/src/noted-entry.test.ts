import { readFileSync } from 'node:fs';
import { canonicalJson } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { NOTED_SAMPLES } from '../test/noted-samples.ts';
import { parseEntry } from './entry.ts';
import {
  NOTED_KINDS,
  type NotedEntry,
  notedEntryBytes,
  type OutcomeEntry,
  outcomeEntryText,
} from './noted-entry.ts';

function parseValue(value: object) {
  return parseEntry(Buffer.from(canonicalJson(value)));
}

describe('an entry that is only listed', () => {
  it('of every kind is written in the RFC 8785 form, and is read back unchanged', () => {
    expect(NOTED_SAMPLES.map(({ kind }) => kind)).toEqual(NOTED_KINDS);
    for (const entry of NOTED_SAMPLES) {
      const bytes = notedEntryBytes(entry, 'w1');
      expect(Buffer.from(bytes).toString()).toBe(canonicalJson({ ...entry, log: 'w1' }));
      expect(parseEntry(bytes)).toEqual({ ...entry, log: 'w1' });
    }
  });

  it('is in the README with every member', () => {
    const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    for (const { kind, workspace: _, timestamp: __, ...members } of NOTED_SAMPLES) {
      const row = rows.find((line) => line.split('|')[1]!.includes(`\`${kind}\``)) ?? '';
      expect(
        Object.keys(members).filter((name) => !row.includes(`\`${name}\``)),
        kind,
      ).toEqual([]);
    }
  });

  it('is refused if one of its members is missing or of the wrong kind, never read as an unknown kind', () => {
    for (const entry of NOTED_SAMPLES) {
      const whole: Record<string, unknown> = { ...entry, log: 'w1' };
      for (const member of Object.keys(whole).filter((name) => name !== 'kind' && name !== 'loosened')) {
        const { [member]: _, ...without } = whole;
        expect(parseValue(without), `${entry.kind} without ${member}`).toBeNull();
        expect(parseValue({ ...whole, [member]: true }), `${entry.kind} with a wrong ${member}`).toBeNull();
      }
      expect(parseEntry(Buffer.from(JSON.stringify({ x: 1, ...whole }))), entry.kind).toBeNull();
    }
  });

  it('of an outcome has one spelling, in both ways of writing it', () => {
    const [sample] = NOTED_SAMPLES.filter(
      (entry): entry is OutcomeEntry => entry.kind === 'decision.outcome',
    );
    const by = { ...sample!.by, session: 'secret' };
    for (const entry of [sample!, { ...sample!, by }, { ...sample!, noteDigest: null, refDigest: null }])
      expect(outcomeEntryText(entry, 'w1')).toBe(Buffer.from(notedEntryBytes(entry, 'w1')).toString());
  });

  it('may have more members in a later version', () => {
    for (const entry of NOTED_SAMPLES) {
      expect(parseValue({ ...entry, log: 'w1', more: [1] }), entry.kind).toMatchObject(entry);
    }
  });

  it('holds only the kind and the id of its author', () => {
    const [entry] = NOTED_SAMPLES.filter(({ kind }) => kind === 'key.created');
    const by = { kind: 'person', id: 'per_1', email: 'ada@example.com' };
    const bytes = notedEntryBytes({ ...entry, by } as NotedEntry, 'w1');
    expect(bytes).toEqual(notedEntryBytes(entry!, 'w1'));
  });

  it('is not written if a verifier would refuse it', () => {
    const applied = NOTED_SAMPLES.find(({ kind }) => kind === 'policy.applied');
    const { by: _, ...nobody } = { by: 0, ...applied };
    expect(() => notedEntryBytes(nobody as NotedEntry, 'w1')).toThrow('policy.applied');
  });
});
