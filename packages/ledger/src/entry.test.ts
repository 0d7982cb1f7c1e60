import { canonicalJson } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { decisionEntry } from '../test/test-log.ts';
import {
  type Continuation,
  continuationBytes,
  parseEntry,
  type Redemption,
  redemptionBytes,
} from './entry.ts';
import { parseLeaf } from './leaf.ts';

const REDEMPTION: Redemption = {
  kind: 'redemption',
  log: 'w1',
  decision_id: 'dec_1',
  workspace: 'ws_1',
  keyId: 'key_1',
  keyKind: 'live',
  timestamp: '2026-11-15T04:00:00.000Z',
  intentDigest: `sha256:${'a'.repeat(64)}`,
};

const CONTINUATION: Continuation = {
  kind: 'continuation',
  log: 'w2',
  timestamp: '2026-11-15T04:00:00.000Z',
  checkpoint: 'writecheck/w1\n…',
};

function textOf(bytes: Uint8Array) {
  return Buffer.from(bytes).toString();
}
function parseText(text: string) {
  return parseEntry(Buffer.from(text));
}

describe('entry', () => {
  it('is written in the RFC 8785 form', () => {
    expect(textOf(redemptionBytes(REDEMPTION))).toBe(canonicalJson(REDEMPTION));
    expect(textOf(continuationBytes(CONTINUATION))).toBe(canonicalJson(CONTINUATION));
  });

  it('is read back from its bytes unchanged', () => {
    expect(parseEntry(redemptionBytes(REDEMPTION))).toEqual(REDEMPTION);
    expect(parseEntry(continuationBytes(CONTINUATION))).toEqual(CONTINUATION);
    const { bytes } = decisionEntry(0);
    expect(parseEntry(bytes)).toEqual({ kind: 'decision', leaf: parseLeaf(bytes) });
  });

  it('of one kind is never read as another', () => {
    expect(parseLeaf(redemptionBytes(REDEMPTION))).toBeNull();
    expect(parseLeaf(continuationBytes(CONTINUATION))).toBeNull();
    const decision = JSON.parse(textOf(decisionEntry(0).bytes));
    for (const kind of ['decision', 'redemption', 'continuation', '', null]) {
      expect(parseText(canonicalJson({ ...decision, kind })), String(kind)).toBeNull();
    }
  });

  it('is refused if a member is missing, added or of the wrong kind', () => {
    const wrong = {
      keyKind: 'owner',
      log: 'a b',
      timestamp: 'yesterday',
      intentDigest: 'sha256:',
      checkpoint: '',
    };
    for (const entry of [REDEMPTION, CONTINUATION]) {
      for (const member of Object.keys(entry).filter((name) => name !== 'kind')) {
        const { [member]: _, ...without } = entry as unknown as Record<string, unknown>;
        expect(parseText(canonicalJson(without)), `without ${member}`).toBeNull();
        const value = member in wrong ? wrong[member as keyof typeof wrong] : '';
        expect(parseText(canonicalJson({ ...entry, [member]: value })), `wrong ${member}`).toBeNull();
      }
      expect(parseText(canonicalJson({ ...entry, more: 1 }))).toBeNull();
      expect(parseText(`${canonicalJson(entry)} `)).toBeNull();
    }
    expect(parseText('{}')).toBeNull();
    expect(parseText('')).toBeNull();
  });
});
