import { canonicalJson } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { decisionEntry } from '../test/test-log.ts';
import { reviewEntry } from '../test/test-reviews.ts';
import { parseEntry } from './entry.ts';
import { parseLeaf } from './leaf.ts';
import { type LoggedReviewEntry, reviewEntryBytes } from './review-entry.ts';

function textOf(bytes: Uint8Array) {
  return Buffer.from(bytes).toString();
}
function parseText(text: string) {
  return parseEntry(Buffer.from(text));
}

const ENTRY = reviewEntry({
  event: 'verdict',
  by: { kind: 'person', id: 'per_1' },
  details: { verdict: 'approve', controls: ['approval'], comment: 'ü \u0000 "', nested: { b: 1, a: [null] } },
});

describe('an entry of a review', () => {
  it('is written in the RFC 8785 form, and is read back unchanged', () => {
    expect(textOf(reviewEntryBytes(ENTRY))).toBe(canonicalJson(ENTRY));
    expect(parseEntry(reviewEntryBytes(ENTRY))).toEqual(ENTRY);
    const byNobody = reviewEntry({ event: 'expired', by: null, details: {} });
    expect(parseEntry(reviewEntryBytes(byNobody))).toEqual(byNobody);
    expect(parseLeaf(reviewEntryBytes(ENTRY))).toBeNull();
  });

  it('holds nothing but its own members', () => {
    const more = { ...ENTRY, more: 1, by: { ...ENTRY.by, name: 'Ada' } } as unknown as LoggedReviewEntry;
    expect(textOf(reviewEntryBytes(more))).toBe(canonicalJson(ENTRY));
  });

  it('is refused if a member is missing, added or of the wrong kind, or if it is spelled otherwise', () => {
    const wrong: Record<string, unknown> = {
      ...{ event: 'escalated', log: 'a b', timestamp: 'yesterday', intentDigest: 'sha256:', details: [] },
      ...{ by: { kind: 'robot', id: 'x' }, review: '', workspace: 1 },
    };
    for (const [member, value] of Object.entries(wrong)) {
      const { [member]: _, ...without } = ENTRY as unknown as Record<string, unknown>;
      expect(parseText(canonicalJson(without)), `without ${member}`).toBeNull();
      expect(parseText(canonicalJson({ ...ENTRY, [member]: value })), `wrong ${member}`).toBeNull();
    }
    expect(parseText(canonicalJson({ ...ENTRY, more: 1 }))).toBeNull();
    expect(parseText(canonicalJson({ ...ENTRY, by: { ...ENTRY.by, name: 'Ada' } }))).toBeNull();
    expect(parseText(JSON.stringify(ENTRY))).toBeNull();
    expect(parseText(`${canonicalJson(ENTRY)} `)).toBeNull();
    expect(parseText(canonicalJson(ENTRY).replace('"comment":"', '"comment":"\\ud800'))).toBeNull();
  });
});

describe('an entry of a kind this version does not know', () => {
  const other = {
    kind: 'notice',
    log: 'w1',
    workspace: 'ws_1',
    timestamp: '2026-11-15T04:00:00.000Z',
    x: [1],
  };

  it('is read as far as it names its place', () => {
    const { log, workspace, timestamp } = other;
    expect(parseText(canonicalJson(other))).toEqual({
      ...{ kind: 'other', name: 'notice', log, workspace, timestamp },
    });
    expect(parseText(canonicalJson({ kind: 'notice', log: 'w1', timestamp: 'soon' }))).toEqual({
      ...{ kind: 'other', name: 'notice', log: 'w1', workspace: null, timestamp: null },
    });
  });

  it('is refused if it has two spellings, no log, or the name of a decision', () => {
    expect(parseText(JSON.stringify(other))).toBeNull();
    expect(parseText('{"kind":"notice","log":"w1","log":"w2"}')).toBeNull();
    expect(parseText('{"kind":"notice","log":"w1","x":"\\ud800"}')).toBeNull();
    expect(parseText(canonicalJson({ ...other, log: 'a b' }))).toBeNull();
    expect(parseText(canonicalJson({ ...other, workspace: '' }))).toBeNull();
    const decision = JSON.parse(textOf(decisionEntry(0).bytes));
    for (const kind of ['decision', 'other', 'review', 'person', 'redemption', 'continuation', '', 7, null]) {
      expect(parseText(canonicalJson({ ...decision, kind })), String(kind)).toBeNull();
    }
  });
});
