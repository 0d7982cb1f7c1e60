import { describe, expect, it } from 'vitest';
import { consistencyProof } from '../test/proofs.ts';
import { base64, decisionEntry, mixedEntries, sha256, TestLog } from '../test/test-log.ts';
import { SIGNER, STRANGER } from '../test/test-signer.ts';
import { type ExtensionClaim, verifyExtension } from './verify-extension.ts';

const SIZE = 40;
const log = new TestLog(mixedEntries(SIZE));
function proofOf(from: number, to: number) {
  return consistencyProof(from, to, log.read, sha256).map(base64);
}

function claim(from: number, to: number, changes: Partial<ExtensionClaim> = {}): ExtensionClaim {
  return {
    older: log.checkpoint(from),
    newer: log.checkpoint(to),
    proof: from <= to ? proofOf(from, to) : [],
    keys: [SIGNER.line],
    ...changes,
  };
}

async function reasonOf(extension: ExtensionClaim) {
  const verdict = await verifyExtension(extension);
  return verdict.ok ? 'ok' : verdict.reason;
}

describe('an extension that does not hold says why', () => {
  const other = new TestLog(mixedEntries(SIZE, 'w2'), 'w2');
  const fork = new TestLog(mixedEntries(SIZE).with(3, decisionEntry(3, { reason_code: 'policy_unmatched' })));
  it.each<[string, string, ExtensionClaim]>([
    ['invalid_argument', 'the keys are not all verifier key lines', claim(7, 20, { keys: [] })],
    ['malformed_checkpoint', 'older: the checkpoint is not a signed note', claim(7, 20, { older: 'x' })],
    ['malformed_checkpoint', 'newer: the checkpoint is not a signed note', claim(7, 20, { newer: 'x' })],
    [
      'other_log',
      'the checkpoints are of two logs, `w1` and `w2`',
      claim(7, 20, { newer: other.checkpoint(20) }),
    ],
    ['rolled_back', 'the log shrank from 20 entries to 19', claim(20, 19)],
    [
      'forked',
      'two different logs of 40 entries are signed',
      claim(SIZE, SIZE, { newer: fork.checkpoint() }),
    ],
    [
      'forged_proof',
      'the proof does not show that the 20 entries begin with the 7',
      claim(7, 20, { proof: [] }),
    ],
  ])('%s: %s', async (reason, message, extension) => {
    expect(await verifyExtension(extension)).toEqual({ ok: false, reason, message });
  });
});

describe('an extension', () => {
  it('returns the two checkpoints between which it holds', async () => {
    expect(await verifyExtension(claim(7, 20))).toEqual({
      ok: true,
      older: { log: 'w1', size: 7, root: Uint8Array.from(log.root(7)) },
      newer: { log: 'w1', size: 20, root: Uint8Array.from(log.root(20)) },
    });
  });

  it('holds between any two checkpoints of one log', async () => {
    for (let to = 0; to <= SIZE; to += 3) {
      for (let from = 0; from <= to; from += 1) expect(await reasonOf(claim(from, to))).toBe('ok');
    }
  });

  it('does not hold if the log was rolled back', async () => {
    expect(await reasonOf(claim(20, 19))).toBe('rolled_back');
  });

  it('does not hold between the branches of a fork, wherever it forked', async () => {
    for (let at = 0; at < SIZE; at += 1) {
      const fork = new TestLog(
        mixedEntries(SIZE).with(at, decisionEntry(at, { reason_code: 'policy_unmatched' })),
      );
      expect(await reasonOf(claim(SIZE, SIZE, { newer: fork.checkpoint() }))).toBe('forked');
      const proof = consistencyProof(SIZE - 1, SIZE, fork.read).map(base64);
      const forked = { newer: fork.checkpoint(), proof };
      expect(await reasonOf(claim(SIZE - 1, SIZE, forked))).toBe(at === SIZE - 1 ? 'ok' : 'forged_proof');
    }
  });

  it('does not hold with another proof than its own', async () => {
    expect(await reasonOf(claim(7, 20, { proof: proofOf(8, 20) }))).toBe('forged_proof');
    expect(await reasonOf(claim(7, 20, { proof: [] }))).toBe('forged_proof');
    expect(await reasonOf(claim(7, 20, { proof: [...proofOf(7, 20), 'AAAA'] }))).toBe('forged_proof');
    expect(await reasonOf(claim(7, 20, { proof: ['not base64'] }))).toBe('forged_proof');
  });

  it('does not hold between two logs', async () => {
    const other = new TestLog(mixedEntries(SIZE, 'w2'), 'w2');
    expect(await reasonOf(claim(7, 20, { newer: other.checkpoint(20) }))).toBe('other_log');
  });

  it('does not hold if either checkpoint is not signed by a known key', async () => {
    const stranger = log.checkpoint(20, STRANGER);
    expect(await reasonOf(claim(7, 20, { newer: stranger }))).toBe('unknown_signer');
    expect(await reasonOf(claim(20, 30, { older: stranger }))).toBe('unknown_signer');
    expect(await reasonOf(claim(7, 20, { older: 'x' }))).toBe('malformed_checkpoint');
    expect(await reasonOf(claim(7, 20, { keys: [] }))).toBe('invalid_argument');
    const changed = log.checkpoint(20).replace('\n20\n', '\n21\n');
    expect(await reasonOf(claim(7, 20, { newer: changed }))).toBe('bad_signature');
  });
});
