import { batchChallenge, encodeBase64Url, verdictChallenge } from '@writecheck/ledger';
import { describe, expect, it } from 'vitest';
import { registeredDevice } from '../../../../test/soft-passkey.ts';
import { verifyVerdictAssertion } from './verify-verdict.ts';

const PARTY = { origin: 'http://localhost:8080', rpId: 'localhost' };
const OPENED_MS = 1_000_000;

const STATEMENT = {
  workspace: 'ws_1',
  review: 'rev_1',
  intentDigest: `sha256:${'ab'.repeat(32)}`,
  controls: ['approval'],
  verdict: 'approve',
  by: 'per_1',
  comment: null,
} as const;

function credentialed(registeredAtMs = OPENED_MS - 1) {
  const { device, publicKey } = registeredDevice(PARTY);
  return { device, credential: { id: device.credentialId, publicKey, registeredAtMs } };
}

function question(statement: typeof STATEMENT, credential: ReturnType<typeof credentialed>['credential']) {
  return { party: PARTY, statement, reviewOpenedAtMs: OPENED_MS, credentials: [credential] };
}

describe('a passkey assertion for a verdict', () => {
  it('counts if a passkey of the author signed this very statement', async () => {
    const { device, credential } = credentialed();
    const assertion = device.assertion(verdictChallenge(STATEMENT));
    const outcome = await verifyVerdictAssertion({ ...question(STATEMENT, credential), assertion });
    expect(outcome).toEqual({ kind: 'asserted', credential, signCount: 1 });
  });

  it.each(['workspace', 'review', 'intentDigest', 'by'] as const)(
    'is refused for another %s',
    async (member) => {
      const { device, credential } = credentialed();
      const assertion = device.assertion(verdictChallenge({ ...STATEMENT, [member]: 'other' }));
      const outcome = await verifyVerdictAssertion({ ...question(STATEMENT, credential), assertion });
      expect(outcome).toMatchObject({ kind: 'refused', code: 'assertion_invalid' });
    },
  );

  it('is refused if the challenge was for signing in', async () => {
    const { device, credential } = credentialed();
    const signIn = Buffer.concat([Buffer.alloc(32, 7), Buffer.from('signin')]);
    const outcome = await verifyVerdictAssertion({
      ...question(STATEMENT, credential),
      assertion: device.assertion(signIn),
    });
    expect(outcome).toMatchObject({ kind: 'refused', code: 'assertion_invalid' });
  });

  it("is refused with somebody else's passkey, and with one registered since the review was opened", async () => {
    const { credential } = credentialed();
    const other = credentialed();
    const assertion = other.device.assertion(verdictChallenge(STATEMENT));
    const foreign = await verifyVerdictAssertion({ ...question(STATEMENT, credential), assertion });
    expect(foreign).toMatchObject({
      code: 'assertion_invalid',
      message: expect.stringContaining('your passkeys'),
    });
    const claimed = { ...assertion, id: credential.id };
    expect(
      await verifyVerdictAssertion({ ...question(STATEMENT, credential), assertion: claimed }),
    ).toMatchObject({ code: 'assertion_invalid' });
    const late = { ...other.credential, registeredAtMs: OPENED_MS };
    expect(await verifyVerdictAssertion({ ...question(STATEMENT, late), assertion })).toMatchObject({
      code: 'assertion_invalid',
      message: expect.stringContaining('registered after'),
    });
  });

  it('may cover several verdicts, and only those', async () => {
    const { device, credential } = credentialed();
    const statements = [STATEMENT, { ...STATEMENT, review: 'rev_2' as 'rev_1' }];
    const hashes = statements.map((each) => verdictChallenge(each));
    const signed = device.assertion(batchChallenge(hashes));
    const assertion = { ...signed, statements: hashes.map(encodeBase64Url) };
    for (const statement of statements) {
      const outcome = await verifyVerdictAssertion({ ...question(statement, credential), assertion });
      expect(outcome).toMatchObject({ kind: 'asserted' });
    }
    const third = { ...STATEMENT, review: 'rev_3' as 'rev_1' };
    const added = {
      ...assertion,
      statements: [...assertion.statements, encodeBase64Url(verdictChallenge(third))],
    };
    for (const sent of [assertion, added, signed]) {
      const outcome = await verifyVerdictAssertion({ ...question(third, credential), assertion: sent });
      expect(outcome).toMatchObject({ code: 'assertion_invalid' });
    }
  });
});
