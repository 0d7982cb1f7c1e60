import { encodeBase64Url } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { SoftAuthenticator } from '../test/soft-authenticator.ts';
import { exportOf, type TestEntry, TestLog, WORKSPACE } from '../test/test-log.ts';
import { reviewEntry, reviewLogEntry } from '../test/test-reviews.ts';
import { SIGNER } from '../test/test-signer.ts';
import type { Assertion } from './assertion.ts';
import { type LoggedPersonEntry, personEntryBytes } from './person-entry.ts';
import { batchChallenge, type VerdictStatement, verdictChallenge } from './verdict-statement.ts';
import { verifyExport } from './verify-export.ts';

const RP_ID = 'writecheck.example.com';
const REGISTERED = '2026-11-15T03:00:00.000Z';
const OWNER = { kind: 'owner_key', id: 'key_9' };

function device() {
  const made = new SoftAuthenticator(`https://${RP_ID}`);
  const { response } = made.create({
    challenge: 'AAAA',
    rp: { id: RP_ID },
    user: { id: 'AAAA' },
    pubKeyCredParams: [{ alg: -7 }],
  });
  const object = Buffer.from(response.attestationObject, 'base64url');
  return { made, publicKey: object.subarray(-77).toString('base64url') };
}

function personLogEntry(changes: Partial<LoggedPersonEntry>): TestEntry {
  return {
    bytes: personEntryBytes({
      kind: 'person',
      log: 'w1',
      event: 'joined',
      person: 'per_1',
      workspace: WORKSPACE,
      timestamp: REGISTERED,
      by: { kind: 'person', id: 'per_1' },
      details: {},
      ...changes,
    }),
  };
}

function joined({ made, publicKey }: ReturnType<typeof device>, changes: Partial<LoggedPersonEntry> = {}) {
  const credential = { id: made.credentialId, publicKey, algorithm: -7, rpId: RP_ID };
  return personLogEntry({ details: { signIn: 'passkey', invitedBy: OWNER, credential }, ...changes });
}

const STATEMENT: VerdictStatement = {
  workspace: WORKSPACE,
  review: 'rev_1',
  intentDigest: reviewEntry().intentDigest,
  controls: ['approval'],
  verdict: 'approve',
  by: 'per_1',
  comment: null,
};

function verdict(assertion: Assertion | null, changes: object = {}, log = 'w1'): TestEntry {
  const { controls, comment } = STATEMENT;
  return reviewLogEntry({
    log,
    event: 'verdict',
    by: { kind: 'person', id: 'per_1' },
    timestamp: '2026-11-15T04:00:01.000Z',
    details: { verdict: 'approve', controls, comment, identity: 'passkey', assertion, ...changes },
  });
}

function verify(...logs: TestLog[]) {
  return verifyExport(exportOf(...logs), { keys: SIGNER.line });
}

describe('an export', () => {
  it('names the passkeys that signed, when each was registered and on whose invitation', async () => {
    const passkey = device();
    const signed = passkey.made.assertion(verdictChallenge(STATEMENT));
    const found = await verify(new TestLog([joined(passkey), verdict(signed)]));
    expect(found).toMatchObject({
      ok: true,
      words: expect.stringContaining('1 verdict was signed by 1 passkey'),
      passkeys: [
        {
          credential: passkey.made.credentialId,
          person: 'per_1',
          registeredAt: REGISTERED,
          invitedBy: OWNER,
          verdicts: 1,
        },
      ],
    });
  });

  it('verifies a verdict whose passkey is registered in a later log', async () => {
    const passkey = device();
    const signed = passkey.made.assertion(verdictChallenge(STATEMENT));
    const first = new TestLog([verdict(signed)]);
    const second = new TestLog([joined(passkey, { log: 'w2' })], 'w2');
    expect(await verify(first, second)).toMatchObject({ ok: true, passkeys: [{ verdicts: 1 }] });
    expect(await verify(first)).toMatchObject({
      ok: false,
      fault: {
        code: 'assertion_invalid',
        line: 3,
        index: 0,
        message: expect.stringContaining('nobody registered'),
      },
    });
  });

  it('verifies a verdict that one prompt signed together with others', async () => {
    const passkey = device();
    const hashes = [verdictChallenge({ ...STATEMENT, review: 'rev_0' }), verdictChallenge(STATEMENT)];
    const signed = passkey.made.assertion(batchChallenge(hashes));
    const statements = hashes.map(encodeBase64Url);
    const whole = await verify(new TestLog([joined(passkey), verdict({ ...signed, statements })]));
    expect(whole.ok).toBe(true);
    for (const fewer of [statements.slice(0, 1), [...statements].reverse()]) {
      const found = await verify(new TestLog([joined(passkey), verdict({ ...signed, statements: fewer })]));
      expect(found).toMatchObject({ ok: false, fault: { code: 'assertion_invalid' } });
    }
  });

  const other = device();
  const passkey = device();
  const signed = passkey.made.assertion(verdictChallenge(STATEMENT));
  const later = '2026-11-15T05:00:00.000Z';
  const between = '2026-11-15T03:30:00.000Z';
  it.each<[string, readonly TestEntry[], string]>([
    ['no signature', [joined(passkey), verdict(null)], 'no passkey signed it'],
    ['a malformed one', [joined(passkey), verdict({ id: 'x' } as Assertion)], 'exact form'],
    ['another verdict', [joined(passkey), verdict(signed, { verdict: 'reject' })], 'another challenge'],
    ['another comment', [joined(passkey), verdict(signed, { comment: 'ok' })], 'another challenge'],
    [
      'other controls',
      [joined(passkey), verdict(signed, { controls: ['approval', 'dual'] })],
      'another challenge',
    ],
    [
      'another write',
      [joined(passkey), verdict(passkey.made.assertion(verdictChallenge({ ...STATEMENT, review: 'rev_2' })))],
      'another challenge',
    ],
    [
      'signing in',
      [joined(passkey), verdict(passkey.made.assertion(Buffer.from(`${'x'.repeat(32)}signin`)))],
      'another challenge',
    ],
    [
      'another site',
      [
        joined(passkey),
        verdict(passkey.made.assertion(verdictChallenge(STATEMENT), { origin: 'https://evil.test' })),
      ],
      'another site',
    ],
    [
      "somebody else's passkey",
      [joined(passkey, { person: 'per_2' }), verdict(signed)],
      'who did not give it',
    ],
    [
      'a key of another passkey',
      [joined(other), verdict({ ...signed, id: other.made.credentialId })],
      'signature',
    ],
    [
      'an id registered twice',
      [
        joined(other, { details: loggedWith(passkey.made.credentialId, other.publicKey) }),
        joined(passkey),
        verdict(signed),
      ],
      'signature',
    ],
    [
      'a passkey registered later',
      [joined(passkey, { timestamp: later }), verdict(signed)],
      'registered later',
    ],
    [
      'a passkey from before a reset',
      [joined(passkey), personLogEntry({ event: 'reset', timestamp: between }), verdict(signed)],
      'disabled or reset',
    ],
  ])('with %s fails by name', async (_, entries, words) => {
    const found = await verify(new TestLog(entries));
    expect(found).toMatchObject({
      ok: false,
      fault: { code: 'assertion_invalid', message: expect.stringContaining('rev_1') },
    });
    expect(found.words).toContain(words);
  });
});

function loggedWith(id: string, publicKey: string) {
  return { signIn: 'passkey', invitedBy: OWNER, credential: { id, publicKey, algorithm: -7, rpId: RP_ID } };
}
