import { intentDigest } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { testInPart } from '../../../scripts/in-part.ts';
import { decisionEntry, mixedEntries, OTHER_WORKSPACE, TestLog, WORKSPACE } from '../test/test-log.ts';
import { SIGNER, STRANGER, testSigner } from '../test/test-signer.ts';
import { continuationBytes, redemptionBytes } from './entry.ts';
import type { Leaf } from './leaf.ts';
import type { Receipt } from './receipt.ts';
import { type ReceiptQuestion, verifyReceipt } from './verify-receipt.ts';

const INTENT = {
  system: 'erp',
  objectType: 'vendor',
  objectRef: 'V-1001',
  field: 'iban',
  agentValue: 'DE02120300000000202051',
  metadata: { agent: 'ap-bot', context: { amount: 12.5 } },
};
const DECIDED_AT = '2026-11-15T04:00:00.000Z';
const VALID_UNTIL = '2026-11-15T04:05:00.000Z';
const NOW = Date.parse('2026-11-15T04:01:00.000Z');
const INDEX = 11;

function logWith(changes: Partial<Leaf>, log = 'w1', signer = SIGNER) {
  const entries = mixedEntries(23, log);
  const leaf = { log, intentDigest: intentDigest(INTENT), timestamp: DECIDED_AT, validUntil: VALID_UNTIL };
  entries[INDEX] = decisionEntry(INDEX, { ...leaf, ...changes });
  return new TestLog(entries, log, signer);
}

function receiptOf(changes: Partial<Leaf> = {}): Receipt {
  return logWith(changes).receipt(INDEX);
}

function question(changes: Partial<ReceiptQuestion> = {}): ReceiptQuestion {
  return {
    receipt: receiptOf(),
    intent: INTENT,
    keys: [SIGNER.line],
    workspace: WORKSPACE,
    now: NOW,
    ...changes,
  };
}

async function reasonOf(changes: Partial<ReceiptQuestion>) {
  const verdict = await verifyReceipt(question(changes));
  return verdict.ok ? 'ok' : verdict.reason;
}

describe('a receipt', () => {
  it('for exactly this write, allowed here and still valid, is accepted and says what it proves', async () => {
    const verdict = await verifyReceipt(question());
    expect(verdict).toMatchObject({ ok: true, index: INDEX, treeSize: 23, signers: [SIGNER.key] });
    expect(verdict.ok && verdict.leaf.decision_id).toBe(`dec_${INDEX.toString(16).padStart(32, '0')}`);
  });

  it('is accepted at every index under every later checkpoint', async () => {
    const leaf = { intentDigest: intentDigest(INTENT), timestamp: DECIDED_AT, validUntil: VALID_UNTIL };
    const log = new TestLog(Array.from({ length: 20 }, (_, i) => decisionEntry(i, leaf)));
    for (let size = 1; size <= 20; size += 1) {
      for (let index = 0; index < size; index += 1) {
        expect(await reasonOf({ receipt: log.receipt(index, size) })).toBe('ok');
      }
    }
  });

  it('is accepted whatever members surround the write, because the digest does not cover them', async () => {
    const intent = { ...INTENT, runId: 'run-2', requiredControls: ['identity'], workflowId: null };
    expect(await reasonOf({ intent })).toBe('ok');
  });

  it('accepts the time as milliseconds, as a date or as text, and keys as lines or text', async () => {
    expect(await reasonOf({ now: new Date(NOW) })).toBe('ok');
    expect(await reasonOf({ now: new Date(NOW).toISOString() })).toBe('ok');
    expect(await reasonOf({ keys: `${STRANGER.line}\n${SIGNER.line}\n` })).toBe('ok');
  });

  it('for another value is refused', async () => {
    expect(await reasonOf({ intent: { ...INTENT, agentValue: 'DE00' } })).toBe('intent_mismatch');
  });

  it('for another object, field, system or context is refused', async () => {
    for (const change of [
      { objectRef: 'V-1002' },
      { field: 'bic' },
      { system: 'crm' },
      { operation: 'vendor.update' },
      { workflowId: 'w' },
      { authorityFound: true },
      { metadata: { agent: 'ap-bot', context: { amount: 12.6 } } },
    ]) {
      expect(await reasonOf({ intent: { ...INTENT, ...change } })).toBe('intent_mismatch');
    }
  });

  it('of another workspace is refused, though signed by the same service', async () => {
    expect(await reasonOf({ receipt: receiptOf({ workspace: OTHER_WORKSPACE }) })).toBe('other_workspace');
    expect(await reasonOf({ workspace: OTHER_WORKSPACE })).toBe('other_workspace');
  });

  it('is refused from the exact moment it expires', async () => {
    const end = Date.parse(VALID_UNTIL);
    expect(await reasonOf({ now: end - 1 })).toBe('ok');
    expect(await reasonOf({ now: end })).toBe('expired');
    expect(await reasonOf({ now: end + 1 })).toBe('expired');
    expect(await reasonOf({ receipt: receiptOf({ validUntil: null }) })).toBe('expired');
  });

  it('decided more than a minute in the future is refused', async () => {
    const start = Date.parse(DECIDED_AT);
    expect(await reasonOf({ now: start - 60_000 })).toBe('ok');
    expect(await reasonOf({ now: start - 60_001 })).toBe('not_yet_valid');
  });

  it('of a pause or a block is refused, observed or not', async () => {
    for (const decision of ['pause', 'block'] as const) {
      for (const evaluatedDecision of ['allow', 'pause', 'block'] as const) {
        const receipt = receiptOf({ decision, evaluatedDecision });
        const lenient = { acceptObserved: true, acceptDevelopment: true };
        expect(await reasonOf({ receipt, ...lenient })).toBe('not_allowed');
      }
    }
  });

  it('of an observed allow is refused unless accepted', async () => {
    for (const evaluatedDecision of ['pause', 'block'] as const) {
      const receipt = receiptOf({ evaluatedDecision });
      expect(await reasonOf({ receipt })).toBe('observed_allow');
      expect(await reasonOf({ receipt, acceptDevelopment: true })).toBe('observed_allow');
      expect(await reasonOf({ receipt, acceptObserved: true })).toBe('ok');
      expect(await reasonOf({ receipt, acceptObserved: 1 as unknown as boolean })).toBe('observed_allow');
    }
  });

  it('of a development key is refused unless accepted', async () => {
    const receipt = receiptOf({ keyKind: 'development' });
    expect(await reasonOf({ receipt })).toBe('development_key');
    expect(await reasonOf({ receipt, acceptObserved: true })).toBe('development_key');
    expect(await reasonOf({ receipt, acceptDevelopment: true })).toBe('ok');
  });

  it('signed by an unknown key is refused, even under a known name', async () => {
    const receipt = logWith({}, 'w1', STRANGER).receipt(INDEX);
    expect(await reasonOf({ receipt })).toBe('unknown_signer');
    const elsewhere = logWith({}, 'w1', testSigner('elsewhere', Buffer.alloc(32, 1))).receipt(INDEX);
    expect(await reasonOf({ receipt: elsewhere })).toBe('unknown_signer');
  });

  it('whose checkpoint was changed is refused', async () => {
    const receipt = receiptOf();
    const checkpoint = receipt.checkpoint.replace('\n23\n', '\n24\n');
    expect(await reasonOf({ receipt: { ...receipt, checkpoint, treeSize: 24 } })).toBe('bad_signature');
    expect(await reasonOf({ receipt: { ...receipt, checkpoint: 'x' } })).toBe('malformed_checkpoint');
    const other = SIGNER.note('elsewhere/w1\n1\nAAAA\n');
    expect(await reasonOf({ receipt: { ...receipt, checkpoint: other } })).toBe('malformed_checkpoint');
  });

  it('with a leaf, index, size or proof that differs from the log is refused', async () => {
    const log = logWith({});
    const receipt = log.receipt(INDEX);
    const forged: Partial<Receipt>[] = [
      { leaf: logWith({ decision_id: 'dec_other' }).receipt(INDEX).leaf },
      { index: INDEX + 1 },
      { index: 23 },
      { treeSize: 22 },
      { proof: receipt.proof.slice(1) },
      { proof: [...receipt.proof, receipt.proof[0]!] },
      { proof: [] },
      { proof: receipt.proof.toReversed() },
      { proof: log.receipt(INDEX - 1).proof },
    ];
    for (const change of forged) {
      expect(await reasonOf({ receipt: { ...receipt, ...change } }), JSON.stringify(change)).toBe(
        'forged_proof',
      );
    }
  });

  it('with a leaf of another log than its checkpoint is refused', async () => {
    const receipt = logWith({ log: 'w2' }).receipt(INDEX);
    expect(await reasonOf({ receipt })).toBe('log_mismatch');
  });

  it('that proves another kind of entry is refused', async () => {
    const common = { log: 'w1', timestamp: DECIDED_AT };
    const redemption = redemptionBytes({
      ...{ kind: 'redemption', ...common, decision_id: 'dec_1', workspace: WORKSPACE },
      ...{ keyId: 'key_1', keyKind: 'live', intentDigest: intentDigest(INTENT) },
    });
    const continuation = continuationBytes({ kind: 'continuation', ...common, checkpoint: 'x' });
    for (const bytes of [redemption, continuation]) {
      expect(await reasonOf({ receipt: new TestLog([{ bytes }]).receipt(0) })).toBe('not_a_decision');
    }
  });

  it('whose leaf is in the log but not in its exact form is refused', async () => {
    const { bytes } = decisionEntry(0, { intentDigest: intentDigest(INTENT) });
    const spaced = Buffer.concat([bytes, Buffer.from(' ')]);
    expect(await reasonOf({ receipt: new TestLog([{ bytes: spaced }]).receipt(0) })).toBe(
      'malformed_receipt',
    );
  });

  it('that is not a receipt is refused', async () => {
    const receipt = receiptOf();
    const none: unknown[] = [
      ...[undefined, null, 1, '', JSON.stringify(receipt), [], {}],
      { ...receipt, version: 'writecheck.receipt.v2' },
      { ...receipt, version: undefined },
      { ...receipt, leaf: undefined },
      { ...receipt, leaf: `${receipt.leaf} ` },
      { ...receipt, index: -1 },
      { ...receipt, index: '11' },
      { ...receipt, index: 1.5 },
      { ...receipt, treeSize: null },
      { ...receipt, proof: 'x' },
      { ...receipt, proof: [1] },
      { ...receipt, proof: ['AAAA'] },
      { ...receipt, checkpoint: 5 },
    ];
    for (const value of none) {
      expect(await reasonOf({ receipt: value }), JSON.stringify(value)).toBe('malformed_receipt');
    }
  });

  it('may carry members that were added later', async () => {
    expect(await reasonOf({ receipt: { ...receiptOf(), note: 'added later' } })).toBe('ok');
  });

  it('for an invalid intent is refused', async () => {
    for (const intent of [undefined, null, 'x', {}, { system: 'erp' }, { ...INTENT, agentValue: 5 }]) {
      expect(await reasonOf({ intent })).toBe('malformed_intent');
    }
  });

  it('is never accepted without a key, a workspace or a time', async () => {
    const wrong = [
      { keys: [] },
      { keys: '' },
      { keys: undefined },
      { keys: [SIGNER.line, 'nonsense'] },
      { workspace: '' },
      { workspace: undefined },
      { now: Number.NaN },
      { now: undefined },
      { now: null },
      { now: 'yesterday' },
      { now: new Date(Number.NaN) },
      { now: Number.NEGATIVE_INFINITY },
    ] as unknown as Partial<ReceiptQuestion>[];
    for (const change of wrong) {
      expect(await reasonOf(change), JSON.stringify(change)).toBe('invalid_argument');
    }
  });

  const flips = {
    part: 31,
    whole: 5,
    named: (every: string) => `with one bit in ${every} changed in leaf or proof is never accepted`,
  };
  testInPart(flips, async (every) => {
    const receipt = receiptOf();
    const flipped = (text: string, bit: number) => {
      const bytes = Buffer.from(text, 'base64');
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      return bytes.toString('base64');
    };
    let tried = 0;
    for (let bit = 0; bit < Buffer.from(receipt.leaf, 'base64').length * 8; bit += every) {
      const changed = { ...receipt, leaf: flipped(receipt.leaf, bit) };
      expect(await reasonOf({ receipt: changed })).toBe('forged_proof');
      tried += 1;
    }
    for (let at = 0; at < receipt.proof.length; at += 1) {
      for (let bit = 0; bit < 256; bit += every) {
        const proof = receipt.proof.with(at, flipped(receipt.proof[at]!, bit));
        expect(await reasonOf({ receipt: { ...receipt, proof } })).toBe('forged_proof');
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(5_000 / every);
  });
});

describe('a receipt that is refused says why', () => {
  const bytes = redemptionBytes({
    ...{ kind: 'redemption', log: 'w1', decision_id: 'dec_1', workspace: WORKSPACE, keyId: 'key_1' },
    ...{ keyKind: 'live', timestamp: DECIDED_AT, intentDigest: intentDigest(INTENT) },
  });
  const misnamed = new TestLog([decisionEntry(0, { log: 'w2', intentDigest: intentDigest(INTENT) })]);
  const formless = new TestLog([{ bytes: Buffer.from('{}') }]);
  it.each<[string, string, Partial<ReceiptQuestion>]>([
    ['invalid_argument', '`keys` must be verifier key lines, at least one', { keys: [] }],
    ['invalid_argument', '`now` must be a time', { now: 'soon' }],
    ['invalid_argument', '`workspace` must name the workspace whose decisions count', { workspace: '' }],
    ['malformed_receipt', 'not a receipt of version writecheck.receipt.v1', { receipt: {} }],
    ['malformed_receipt', 'the leaf is not an entry in its exact form', { receipt: formless.receipt(0) }],
    ['malformed_intent', 'the body must be an object, not a number', { intent: 1 }],
    [
      'malformed_checkpoint',
      'the checkpoint is not a signed note',
      { receipt: { ...receiptOf(), checkpoint: 'x' } },
    ],
    [
      'forged_proof',
      'the proof is for 22 entries, the checkpoint has 23',
      { receipt: { ...receiptOf(), treeSize: 22 } },
    ],
    [
      'forged_proof',
      "the proof does not lead from entry 10 to the checkpoint's root",
      { receipt: { ...receiptOf(), index: 10 } },
    ],
    [
      'not_a_decision',
      'the entry proven is a redemption and not a decision',
      { receipt: new TestLog([{ bytes }]).receipt(0) },
    ],
    ['log_mismatch', 'the leaf names log `w2`, the checkpoint log `w1`', { receipt: misnamed.receipt(0) }],
    ['other_workspace', 'the decision was made in another workspace', { workspace: OTHER_WORKSPACE }],
    [
      'intent_mismatch',
      'the write differs from the one that was decided on',
      { intent: { ...INTENT, agentValue: 'DE00' } },
    ],
    ['not_allowed', 'the decision is pause, not allow', { receipt: receiptOf({ decision: 'pause' }) }],
    [
      'observed_allow',
      'allowed only in observe mode: if enforced, it would be block',
      { receipt: receiptOf({ evaluatedDecision: 'block' }) },
    ],
    [
      'development_key',
      'the decision was made with a development key',
      { receipt: receiptOf({ keyKind: 'development' }) },
    ],
    ['not_yet_valid', `decided at ${DECIDED_AT}, which is in the future`, { now: 0 }],
    ['expired', `valid until ${VALID_UNTIL}`, { now: Date.parse(VALID_UNTIL) }],
    ['expired', 'valid until no time at all', { receipt: receiptOf({ validUntil: null }) }],
  ])('%s: %s', async (reason, message, changes) => {
    expect(await verifyReceipt(question(changes))).toEqual({ ok: false, reason, message });
  });
});
