/** Allows that another run took, or whose taker is unknown: they must not run the write. */
import { answerText, answerWith, httpAnswer } from './answers.ts';
import type { Attack } from './hostile-server.ts';
import { executed, type Scenario, stopped } from './scenario.ts';

const CHECK = /^POST \/(api\/)?v1\/check-write$/;
const ANOTHER_CLAIM = 'f'.repeat(32);
const DECISION_ID = 'dec_0190f0f0f0f07000800000000000000a';

export const CLAIM_SCENARIOS: readonly Scenario[] = [
  executed('an allow that the run itself took before its connection broke', (attack) => {
    if (attack.attempt === 1) attack.socket.resetAndDestroy();
    else answerWith({}, { headers: { 'Idempotency-Replayed': 'true' } })(attack);
  }),
  executed(
    'an allow of a service without claims, then redeemed',
    withoutClaims(() => ({ redeemed: true, redeemedAt: new Date().toISOString() })),
  ),
  stopped('an allow that another run has taken', answerWith(redemption({ claim: ANOTHER_CLAIM })), 'taken'),
  stopped(
    'a replayed allow that another run has taken',
    answerWith(redemption({ claim: ANOTHER_CLAIM }), { headers: { 'Idempotency-Replayed': 'true' } }),
    'taken',
  ),
  stopped(
    'the claim in upper case, with a letter more',
    answerWith(({ headers }) => ({
      redemption: { ...redeemedNow(), claim: `A${headers.redeem?.toUpperCase()}` },
    })),
  ),
  ...[null, true, '', 'redeemed', [], {}, 1].map((value) =>
    stopped(`the redemption ${JSON.stringify(value)}`, answerWith({ redemption: value })),
  ),
  ...[undefined, null, '', 1, true, {}].map((claim) =>
    stopped(`a redemption whose claim is ${JSON.stringify(claim)}`, answerWith(redemption({ claim }))),
  ),
  stopped(
    'a redemption whose claim is in a list',
    answerWith(({ headers }) => ({ redemption: { ...redeemedNow(), claim: [headers.redeem] } })),
  ),
  ...[undefined, null, '', 1, 'now', '2026-02-30T00:00:00Z'].map((redeemedAt) =>
    stopped(
      `a redemption at ${JSON.stringify(redeemedAt)}`,
      answerWith(({ headers }) => ({ redemption: { claim: headers.redeem, redeemedAt } })),
    ),
  ),
  stopped(
    'a claim that comes twice',
    answerText((json) => json.replace('"claim":', `"claim":"${ANOTHER_CLAIM}","claim":`)),
  ),
  stopped(
    'a redemption as a prototype',
    answerText((json) => json.replace('"redemption":{', '"redemption":{"__proto__":{').replace(/}}$/, '}}}')),
  ),
  ...(
    [
      [409, 'already_redeemed'],
      [409, 'idempotency_key_expired'],
      [422, 'idempotency_key_reused'],
    ] as const
  ).map(([status, code]) =>
    stopped(
      `${code}, and an allow under any other key`,
      (attack) => {
        const [first] = attack.history;
        if (attack.headers['idempotency-key'] === first?.headers['idempotency-key']) {
          attack.socket.end(problem(status, code));
        } else answerWith({})(attack);
      },
      'taken',
    ),
  ),
  stopped(
    'an allow of a service without claims, which another run has redeemed',
    withoutClaims(problem(409, 'already_redeemed')),
    'taken',
  ),
  ...(
    [
      ['not redeemable', problem(409, 'not_redeemable')],
      ['not found', problem(404, 'not_found')],
      ['forbidden', problem(403, 'insufficient_scope')],
      ['broken', problem(500, 'internal_error')],
      ['redirected', httpAnswer('', { status: 307, headers: { Location: '/elsewhere' } })],
    ] as const
  ).map(([name, answer]) =>
    stopped(`an allow of a service without claims, whose redemption is ${name}`, withoutClaims(answer)),
  ),
  ...[null, false, 'true', 1, undefined].map((redeemed) =>
    stopped(
      `an allow of a service without claims, redeemed: ${JSON.stringify(redeemed)}`,
      withoutClaims(() => ({ redeemed, redeemedAt: new Date().toISOString() })),
    ),
  ),
  stopped(
    'an allow of a service without claims, redeemed at no time',
    withoutClaims(() => ({ redeemed: true })),
  ),
  ...[{ success: false }, { error: { code: 'x', message: 'x' } }].map((denial) =>
    stopped(
      `an allow of a service without claims, whose redemption has ${JSON.stringify(denial)}`,
      withoutClaims(() => ({ redeemed: true, ...redeemedNow(), ...denial })),
    ),
  ),
  stopped(
    'an allow of a service without claims, and the same allow as its redemption',
    withoutClaims(({ allow }) => allow),
  ),
  stopped('an allow of a service without claims, then silence', (attack) => {
    if (CHECK.test(attack.requestLine)) answerWith({ redemption: undefined })(attack);
  }),
];

type Members = Readonly<Record<string, unknown>>;

function redeemedNow() {
  return { redeemedAt: new Date().toISOString() };
}

function redemption(change: Members) {
  return () => ({ redemption: { ...redeemedNow(), ...change } });
}

/** A wrapper without claims gets the same allow, and must redeem it too. */
function withoutClaims(answer: Buffer | ((attack: Attack) => Members)): (attack: Attack) => void {
  return (attack) => {
    if (CHECK.test(attack.requestLine)) return answerWith({ redemption: undefined })(attack);
    attack.socket.end(Buffer.isBuffer(answer) ? answer : httpAnswer(JSON.stringify(answer(attack))));
  };
}

function problem(status: number, code: string): Buffer {
  const details = [{ pointer: '/decision_id', message: DECISION_ID }];
  const body = { success: false, allowed: false, failClosed: true, error: { code, message: code, details } };
  return httpAnswer(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
  });
}
