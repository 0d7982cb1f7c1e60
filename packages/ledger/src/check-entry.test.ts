import { describe, expect, it } from 'vitest';
import { BUNDLE_DIGEST, base64, decisionLeaf, OTHER_WORKSPACE, WORKSPACE } from '../test/test-log.ts';
import { checkEntry, type EntryContext } from './check-entry.ts';
import type { Continuation, Entry, Redemption } from './entry.ts';
import type { Leaf } from './leaf.ts';
import { sha256 } from './sha256.ts';

const RECORD = Buffer.from('{"record":1}');
const CHECKPOINT = 'a signed note';

function context(changes: Partial<EntryContext> = {}): EntryContext {
  return {
    ...{ log: 'w1', index: 3, workspace: WORKSPACE, continues: undefined },
    ...{ bundles: new Set([BUNDLE_DIGEST]), hash: sha256 },
    ...changes,
  };
}

function decision(changes: Partial<Leaf> = {}): Entry {
  return {
    kind: 'decision',
    leaf: decisionLeaf(1, RECORD, changes),
  };
}
function redemption(changes: Partial<Redemption> = {}): Entry {
  return {
    ...{ kind: 'redemption', log: 'w1', decision_id: 'dec_1', workspace: WORKSPACE, keyId: 'key_1' },
    ...{ keyKind: 'live', timestamp: '2026-11-15T04:00:00.000Z', intentDigest: `sha256:${'a'.repeat(64)}` },
    ...changes,
  };
}
function continuation(changes: Partial<Continuation> = {}): Entry {
  return {
    ...{ kind: 'continuation', log: 'w1', timestamp: '2026-11-15T04:00:00.000Z', checkpoint: CHECKPOINT },
    ...changes,
  };
}

describe('an entry in its place', () => {
  it('has no error', () => {
    expect(checkEntry(decision(), base64(RECORD), context())).toBeNull();
    expect(checkEntry(decision({ policyRef: BUNDLE_DIGEST }), base64(RECORD), context())).toBeNull();
    expect(
      checkEntry(decision({ policyRef: null }), base64(RECORD), context({ bundles: new Set() })),
    ).toBeNull();
    expect(checkEntry(redemption(), undefined, context())).toBeNull();
    const first = context({ index: 0, continues: CHECKPOINT });
    expect(checkEntry(continuation(), undefined, first)).toBeNull();
    expect(checkEntry(decision(), base64(RECORD), context({ index: 0 }))).toBeNull();
    expect(checkEntry(decision(), base64(RECORD), context({ continues: CHECKPOINT }))).toBeNull();
  });
});

describe('an entry out of its place', () => {
  it.each<[string, string, Entry, string | undefined, Partial<EntryContext>]>([
    ['log_mismatch', 'the entry says it belongs to log `w2`', decision({ log: 'w2' }), base64(RECORD), {}],
    ['log_mismatch', 'the entry says it belongs to log `w3`', redemption({ log: 'w3' }), undefined, {}],
    ['record_missing', 'the record is missing', decision(), undefined, {}],
    [
      'record_mismatch',
      'the record is not the one whose digest the leaf holds',
      decision(),
      base64(Buffer.from('{}')),
      {},
    ],
    [
      'record_mismatch',
      'the record is not the one whose digest the leaf holds',
      decision(),
      'not base64',
      {},
    ],
    ['record_unexpected', 'a redemption has no record', redemption(), base64(RECORD), {}],
    ['record_unexpected', 'a continuation has no record', continuation(), base64(RECORD), { index: 0 }],
    [
      'other_workspace',
      'the entry belongs to another workspace',
      decision({ workspace: OTHER_WORKSPACE }),
      base64(RECORD),
      {},
    ],
    [
      'other_workspace',
      'the entry belongs to another workspace',
      redemption({ workspace: OTHER_WORKSPACE }),
      undefined,
      {},
    ],
    [
      'bundle_missing',
      `decided under bundle \`${BUNDLE_DIGEST}\`, which does not appear before it`,
      decision({ policyRef: BUNDLE_DIGEST }),
      base64(RECORD),
      { bundles: new Set() },
    ],
    [
      'bad_continuation',
      'the header says the log continues another, its first entry does not',
      decision(),
      base64(RECORD),
      { index: 0, continues: CHECKPOINT },
    ],
    [
      'bad_continuation',
      'a continuation must be the first entry and name the checkpoint the header names',
      continuation(),
      undefined,
      { index: 1, continues: CHECKPOINT },
    ],
    [
      'bad_continuation',
      'a continuation must be the first entry and name the checkpoint the header names',
      continuation({ checkpoint: 'another note' }),
      undefined,
      { index: 0, continues: CHECKPOINT },
    ],
    [
      'bad_continuation',
      'a continuation must be the first entry and name the checkpoint the header names',
      continuation(),
      undefined,
      { index: 0 },
    ],
  ])('is %s: %s', (code, message, entry, record, changes) => {
    expect(checkEntry(entry, record, context(changes))).toEqual({ code, message });
  });
});
