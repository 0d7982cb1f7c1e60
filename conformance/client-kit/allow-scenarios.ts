/** Allows that do not prove that they respond to this request, permit this write, or still hold. */
import { answerWith } from './answers.ts';
import { allowFor } from './hostile-server.ts';
import { lifetime, pause, type Scenario, stopped } from './scenario.ts';

/** The id of a request that the wrapper never sent. */
const ANOTHER_REQUEST = 'req_0190f0f0f0f07000800000000000000d';

export const unproven: readonly Scenario[] = [
  stopped(
    'the digest of another intent',
    answerWith({ intentDigest: allowFor('{"system":"another"}').intentDigest }),
  ),
  stopped(
    'the digest in upper case',
    answerWith(({ allow }) => ({ intentDigest: String(allow.intentDigest).toUpperCase() })),
  ),
  stopped('an allow that names no write', answerWith({ intentDigest: undefined })),
  stopped('no digest but null', answerWith({ intentDigest: null })),
  ...[undefined, null, '', 'stopped', 'held_for_review', 'PERMITTED', ['permitted']].map((status) =>
    stopped(
      `an allow whose execution_status is ${JSON.stringify(status)}`,
      answerWith({ execution_status: status }),
    ),
  ),
  ...[undefined, null, '', 1, ANOTHER_REQUEST].map((id) =>
    stopped(`an allow whose request_id is ${JSON.stringify(id)}`, answerWith({ request_id: id })),
  ),
  stopped(
    'an allow whose request_id is in an array',
    answerWith(({ allow }) => ({ request_id: [allow.request_id] })),
  ),
  stopped(
    'the allow of another request that says it is not replayed',
    answerWith({ request_id: ANOTHER_REQUEST }, { headers: { 'Idempotency-Replayed': 'false' } }),
  ),
];

export const outOfTime: readonly Scenario[] = [
  stopped(
    'a validUntil before the timestamp',
    answerWith(() => lifetime(0, -1)),
  ),
  stopped(
    'a validUntil equal to the timestamp',
    answerWith(() => lifetime(0, 0)),
  ),
  stopped(
    'a validUntil of an hour ago',
    answerWith(() => lifetime(0, -3_600_000)),
  ),
  stopped('an allow that names no times', answerWith({ timestamp: undefined, validUntil: undefined })),
  stopped('an allow that names no end', answerWith({ validUntil: undefined })),
  stopped('a validUntil without a timestamp', answerWith({ timestamp: undefined })),
  stopped('a validUntil with a timestamp that is none', answerWith({ timestamp: 'now' })),
  ...[null, 0, '', 'tomorrow', '2099-02-30T00:00:00Z', '2099-01-01T00:00:00', '2099-01-01'].map(
    (validUntil) => stopped(`the validUntil ${JSON.stringify(validUntil)}`, answerWith({ validUntil })),
  ),
  ...(
    [
      ['a millisecond more than 5 minutes', 300_001],
      ['a day', 86_400_000],
      ['ten years', 10 * 365 * 86_400_000],
    ] as const
  ).map(([name, ms]) =>
    stopped(
      `an allow that would hold for ${name}`,
      answerWith(() => lifetime(0, ms)),
    ),
  ),
  stopped(
    'an allow of a month ago, given to another request',
    answerWith(() => ({ ...aMonthAgo(), request_id: ANOTHER_REQUEST })),
  ),
  stopped('an allow that ran out on its way', async (attack) => {
    const changes = lifetime(0, attack.timeoutMs * 0.2);
    await pause(attack.timeoutMs * 0.5);
    answerWith(changes)(attack);
  }),
  stopped(
    'a replayed allow that ran out',
    answerWith(() => lifetime(-60_000, -1), { headers: { 'Idempotency-Replayed': 'true' } }),
  ),
  stopped(
    'a replayed allow of a month ago',
    answerWith(() => ({ ...aMonthAgo(), request_id: ANOTHER_REQUEST }), {
      headers: { 'Idempotency-Replayed': 'true' },
    }),
  ),
  ...[undefined, '', 'now', '0', '2026', 'Thu, 01 Jan 1970 00:00:00'].map((date) =>
    stopped(
      `a replayed allow with the Date ${JSON.stringify(date)}`,
      answerWith(() => lifetime(-60_000, 60_000), {
        headers: { 'Idempotency-Replayed': 'true', Date: date },
      }),
    ),
  ),
];

function aMonthAgo() {
  const ago = -30 * 86_400_000;
  return lifetime(ago, ago + 300_000);
}
