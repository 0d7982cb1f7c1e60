import { canonicalJson } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { parseEntry } from './entry.ts';
import { type LoggedPersonEntry, personEntryBytes } from './person-entry.ts';

const ENTRY: LoggedPersonEntry = {
  kind: 'person',
  event: 'joined',
  log: 'w1',
  person: 'per_1',
  workspace: 'ws_1',
  timestamp: '2026-11-16T04:00:00.000Z',
  by: { kind: 'person', id: 'per_1' },
  details: { signIn: 'passkey', credential: { id: 'c', publicKey: 'k', algorithm: -7 } },
};

function parseText(text: string) {
  return parseEntry(Buffer.from(text));
}

describe('an entry of a person', () => {
  it('is written in the RFC 8785 form, and is read back unchanged', () => {
    expect(Buffer.from(personEntryBytes(ENTRY)).toString()).toBe(canonicalJson(ENTRY));
    expect(parseEntry(personEntryBytes(ENTRY))).toEqual(ENTRY);
  });

  it('holds nothing but its own members', () => {
    const more = { ...ENTRY, name: 'Ada', by: { ...ENTRY.by, email: 'ada@example.com' } };
    expect(Buffer.from(personEntryBytes(more)).toString()).toBe(canonicalJson(ENTRY));
  });

  it('is refused if a member is missing, added or of the wrong kind, or if it is spelled otherwise', () => {
    const wrong: Record<string, unknown> = {
      ...{ event: 'promoted', log: 'a b', timestamp: 'yesterday', details: [], person: '', workspace: 1 },
      by: { kind: 'checking_key', id: 'key_1' },
    };
    for (const [member, value] of Object.entries(wrong)) {
      const { [member]: _, ...without } = ENTRY as unknown as Record<string, unknown>;
      expect(parseText(canonicalJson(without)), `without ${member}`).toBeNull();
      expect(parseText(canonicalJson({ ...ENTRY, [member]: value })), `wrong ${member}`).toBeNull();
    }
    expect(parseText(canonicalJson({ ...ENTRY, name: 'Ada' }))).toBeNull();
    expect(parseText(canonicalJson({ ...ENTRY, by: null }))).toBeNull();
    expect(parseText(JSON.stringify(ENTRY))).toBeNull();
    expect(parseText(canonicalJson(ENTRY).replace('"passkey"', '"\\ud800"'))).toBeNull();
  });
});
