import { type AttestationChecks, NO_ATTESTATION, REVIEW_DESK } from '@writecheck/contract';
import {
  compareBundles,
  compile,
  decide,
  ENGINE_VERSION,
  loosens,
  type PolicyDocument,
} from '@writecheck/engine';
import { describe, expect, test } from 'vitest';
import { testInPart } from '../../../../../scripts/in-part.ts';
import { seededDice } from '../../../../engine/test/dice.ts';
import { editBundle } from '../../../../engine/test/edit-bundle.ts';
import { generateBundle } from '../../../../engine/test/generate-bundle.ts';
import { type Case, intentGenerator } from '../../../../engine/test/generate-intent.ts';
import { replayBundle } from './replay-bundle.ts';
import { type ReadableRecord, replayRecord } from './replay-record.ts';

const PAIRS = { part: 100, whole: 400 };
const INTENTS = 25;

function bundleOf(documents: readonly PolicyDocument[]) {
  return replayBundle(JSON.stringify(documents));
}

function recordOf({ intent, facts, nowMs }: Case, digest: string): ReadableRecord {
  return { atMs: nowMs, policyRef: digest, engine: ENGINE_VERSION, facts, intent };
}

const again = (count: string) =>
  `under their own bundle decisions are decided again as they were, on ${count} generated bundles and traffic`;
testInPart({ ...PAIRS, named: again }, (pairs) => {
  let replayed = 0;
  for (let stream = 0; stream < pairs; stream += 1) {
    const dice = seededDice(20_261_116, stream);
    const documents = generateBundle(dice);
    const bundle = bundleOf(documents);
    if (bundle === null) continue;
    const generate = intentGenerator(documents);
    const bundles = { candidate: bundle, running: bundle, recorded: () => bundle };
    for (let at = 0; at < INTENTS; at += 1) {
      const one = generate(dice);
      const replay = replayRecord(recordOf(one, bundle.snapshot.digest!), bundles);
      if (replay.kind !== 'replayed') continue;
      replayed += 1;
      const decided = decide(one.intent, one.facts, bundle.snapshot, one.nowMs);
      for (const side of [replay.before, replay.after]) {
        expect([side.decision, side.reasonCode]).toEqual([decided.decision, decided.reasonCode]);
        expect(side.applied).toEqual(expect.arrayContaining([...side.deciding]));
      }
    }
  }
  expect(replayed).toBeGreaterThan(pairs * 5);
});

const stricter = (count: string) =>
  `a candidate that the comparison calls at least as strict shows nothing newly allowed, on ${count} pairs`;
testInPart({ ...PAIRS, named: stricter }, (pairs) => {
  let tried = 0;
  for (let stream = 0; stream < pairs; stream += 1) {
    const dice = seededDice(20_261_117, stream);
    const before = generateBundle(dice);
    const after = editBundle(dice, before);
    const [old, next] = [compile(before), compile(after)];
    if (old.kind === 'invalid' || next.kind === 'invalid' || old.digest === next.digest) continue;
    if (loosens(compareBundles(old.documents, next.documents))) continue;
    const running = bundleOf(before)!;
    const bundles = { candidate: bundleOf(after)!, running, recorded: () => running };
    const generators = [intentGenerator(before), intentGenerator(after)];
    for (let at = 0; at < INTENTS; at += 1) {
      const one = generators[at % 2]!(dice);
      const { workflowId } = one.intent;
      // A new workflow alone does not loosen, though it lets writes that name it pass.
      if (
        workflowId !== undefined &&
        next.snapshot.workflows.has(workflowId) !== old.snapshot.workflows.has(workflowId)
      )
        continue;
      const replay = replayRecord(recordOf(one, old.digest), bundles);
      if (replay.kind !== 'replayed') continue;
      tried += 1;
      const isNewlyAllowed = replay.before.decision !== 'allow' && replay.after.decision === 'allow';
      expect(isNewlyAllowed, JSON.stringify({ stream, before, after, ...one, documents: undefined })).toBe(
        false,
      );
    }
  }
  expect(tried).toBeGreaterThan(pairs);
});

describe('a record with an unknown fact is not replayed', () => {
  const JWK = { kty: 'OKP', crv: 'Ed25519', kid: 'k1', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
  const SOURCE = { kind: 'EvidenceSource', id: 'desk', keys: { keys: [JWK] } };
  const OTHER_SOURCE = { ...SOURCE, keys: { keys: [{ ...JWK, kid: 'k2' }] } };
  const pack = (approval: object) => ({ kind: 'ControlPack', id: 'core', controls: { approval } });
  const PROFILE = { kind: 'Profile', id: 'p', match: { system: 'erp' }, require: ['approval'] };
  const ATTESTED = { assurance: 'attested' };
  const bundle = (...documents: readonly object[]) => bundleOf(documents as unknown as PolicyDocument[])!;
  const THEN = bundle(pack(ATTESTED), SOURCE, PROFILE);
  const VERIFIED: AttestationChecks = {
    ...{ kind: 'verified', jti: 'j', checkedAtMs: 0, expiresAtMs: 1_000 },
    ...{ boundToDigest: true, boundToObject: true, revoked: false, usedUp: false },
  };
  const signed = { controlId: 'approval', source: 'desk', result: 'PASS', attestation: 'a.b.c' };
  const whyNot = (
    now: ReturnType<typeof bundle>,
    item: object,
    facts: readonly AttestationChecks[],
    members: object = {},
  ) => {
    const intent = { system: 'erp', operation: 'x', controlEvidence: [item], ...members } as never;
    const record = recordOf({ intent, facts, nowMs: 1, documents: [] }, 'x');
    const replay = replayRecord(record, { candidate: now, running: THEN, recorded: () => THEN });
    return replay.kind === 'replayed' ? null : replay.because;
  };

  test('a signature that was not verified, or a source that has changed', () => {
    expect(whyNot(THEN, signed, [VERIFIED])).toBeNull();
    expect(whyNot(THEN, signed, [])).toBe('evidence');
    expect(whyNot(THEN, signed, [NO_ATTESTATION])).toBe('evidence');
    expect(whyNot(bundle(pack(ATTESTED), OTHER_SOURCE, PROFILE), signed, [VERIFIED])).toBe('evidence');
    // One that failed to verify fails today too.
    expect(whyNot(THEN, signed, [{ kind: 'rejected', why: 'forged' }])).toBeNull();
    // Evidence that no control requires does not matter, and an item without an attestation is known to have
    // none.
    expect(whyNot(THEN, { ...signed, controlId: 'other' }, [])).toBeNull();
    expect(whyNot(THEN, { ...signed, attestation: undefined }, [])).toBeNull();
  });

  test('an attestation that may have been used before', () => {
    const once = bundle(pack({ ...ATTESTED, use: 'once' }), SOURCE, PROFILE);
    expect(whyNot(once, signed, [VERIFIED])).toBe('evidence');
    expect(whyNot(once, signed, [{ kind: 'rejected', why: 'forged' }])).toBeNull();
  });

  test('an approval under another review rule', () => {
    const byDesk = { controlId: 'approval', source: REVIEW_DESK, result: 'PASS' };
    const reviewed = bundle(pack({ ...ATTESTED, review: true }), SOURCE, PROFILE);
    expect(whyNot(THEN, byDesk, [VERIFIED])).toBeNull();
    expect(whyNot(reviewed, byDesk, [VERIFIED])).toBe('evidence');
  });
});

describe('a candidate whose condition names facts', () => {
  const plain: readonly PolicyDocument[] = [
    {
      kind: 'ControlPack',
      id: 'c',
      controls: { order: { facts: true, assurance: 'attested', maxAge: '1h' } },
    },
    { kind: 'Profile', id: 'p', match: { system: 'erp' }, require: ['order'] },
  ];
  const reading: readonly PolicyDocument[] = [
    ...plain,
    { kind: 'Profile', id: 'q', match: { system: 'erp' }, when: 'facts.order.total < 5', permit: true },
  ];
  const item = { controlId: 'order', source: 'erp', result: 'PASS', attestation: 'jws' };
  const verified: AttestationChecks = {
    kind: 'verified',
    jti: 'j',
    checkedAtMs: 0,
    expiresAtMs: null,
    boundToDigest: true,
    boundToObject: false,
    revoked: false,
    usedUp: false,
  };
  const replay = (recorded: readonly PolicyDocument[], facts: readonly AttestationChecks[]) => {
    const intent = { system: 'erp', operation: 'x', ...(facts.length > 0 && { controlEvidence: [item] }) };
    const record = recordOf({ documents: recorded, intent, facts, nowMs: 0 }, 'sha256:0');
    const running = bundleOf(recorded)!;
    const bundles = { candidate: bundleOf(reading)!, running, recorded: () => running };
    const result = replayRecord(record, bundles);
    return result.kind === 'replayed' ? 'replayed' : result.because;
  };

  test('replays what the record holds, and a condition that found no fact when it ran', () => {
    expect(replay(plain, [])).toBe('facts');
    expect(replay(plain, [verified])).toBe('facts');
    expect(replay(plain, [{ ...verified, facts: { total: 1 } }])).toBe('replayed');
    expect(replay(reading, [])).toBe('replayed');
    expect(replay(plain, [NO_ATTESTATION])).toBe('evidence');
  });
});
