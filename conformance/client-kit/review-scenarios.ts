/** A service that lies about reviews. For wrappers that open them: the write runs only on an honest approval. */
import { gzipSync } from 'node:zlib';
import { answerText, answerWith, httpAnswer } from './answers.ts';
import type { Attack } from './hostile-server.ts';
import {
  type Answer,
  approvedReviewFor,
  evidenceItem,
  openReviewFor,
  pauseFor,
  REVIEW_ID,
  reviewing,
} from './review-answers.ts';
import { drip, executed, pause, type Scenario, stopped } from './scenario.ts';

const OTHER_ID = 'rev_0190f0f0f0f07000800000000000000c';
const OTHER_DIGEST = `sha256:${'0'.repeat(64)}`;
const MIB = 1024 * 1024;

const honest: readonly Scenario[] = [
  executed('a pause that is approved', reviewing({})),
  executed('a pause whose review is approved already', reviewing({ opened: approvedWith({}) })),
  executed(
    'a review that is read as open once, then approved',
    reviewing({
      read: (attack) => {
        const reads = attack.history.filter(({ requestLine }) => requestLine.startsWith('GET')).length;
        answerReview(attack, reads === 1 ? openReviewFor(attack) : approvedReviewFor(attack));
      },
    }),
  ),
  executed(
    'a review that cannot be read once',
    reviewing({
      read: (attack) => {
        const reads = attack.history.filter(({ requestLine }) => requestLine.startsWith('GET')).length;
        if (reads === 1) attack.socket.resetAndDestroy();
        else answerReview(attack, approvedReviewFor(attack));
      },
    }),
  ),
];

const states: readonly Scenario[] = [
  ...['rejected', 'expired', 'cancelled'].flatMap((state) => [
    stopped(`a review that is ${state}`, reviewing({ read: { state } })),
    stopped(`a review that is ${state} when it is opened`, reviewing({ opened: approvedWith({ state }) })),
  ]),
  stopped('a review that stays open', reviewing({ read: { state: 'open' } })),
  stopped('a review that stays open, with evidence', reviewing({ opened: {}, read: { state: 'open' } })),
  ...['APPROVED', 'approve', '', null, true, ['approved']].map((state) =>
    stopped(`the state ${JSON.stringify(state)}`, reviewing({ read: { state } })),
  ),
  stopped('a review without a state', reviewing({ read: { state: undefined } })),
];

const evidence: readonly Scenario[] = [
  ...(
    [
      ['no evidence', undefined],
      ['evidence that is null', null],
      ['an empty list of evidence', []],
      ['evidence that is no list', evidenceItem()],
      ['evidence for another control', [evidenceItem({ controlId: 'identity' })]],
      ['evidence for one control more', [evidenceItem(), evidenceItem({ controlId: 'identity' })]],
      ['evidence twice for one control', [evidenceItem(), evidenceItem()]],
      ['evidence from another source', [evidenceItem({ source: 'service-desk' })]],
      ['evidence of another review', [evidenceItem({ evidenceRef: `urn:writecheck:review:${OTHER_ID}` })]],
      ['evidence of no review', [evidenceItem({ evidenceRef: undefined })]],
      ['evidence that fails', [evidenceItem({ result: 'FAIL' })]],
      ['evidence with an attestation', [evidenceItem({ attestation: 'a.b.c' })]],
      ['evidence with times that are numbers', [evidenceItem({ checkedAt: 1 })]],
      ['evidence that is text', ['PASS']],
    ] as const
  ).map(([name, items]) => stopped(`an approval with ${name}`, reviewing({ read: { evidence: items } }))),
  ...['used', 'run_out', 'outdated', 'disabled'].map((because) =>
    stopped(
      `an approval that no longer counts: ${because}`,
      reviewing({ read: { because, evidence: undefined } }),
    ),
  ),
  stopped(
    'a review of controls that were not asked for',
    reviewing({
      read: {
        controls: [{ controlId: 'identity' }],
        evidence: [evidenceItem({ controlId: 'identity' })],
      },
    }),
  ),
  stopped('a review without controls', reviewing({ read: { controls: [], evidence: [] } })),
];

const otherReviews: readonly Scenario[] = [
  stopped('a review of another intent, when opened', reviewing({ opened: { intentDigest: OTHER_DIGEST } })),
  stopped('a review of another intent, when read', reviewing({ read: { intentDigest: OTHER_DIGEST } })),
  stopped('a review without an intent', reviewing({ read: { intentDigest: undefined } })),
  stopped('another review than the one opened', reviewing({ read: { id: OTHER_ID } })),
  ...[undefined, '', 'rev_', `${REVIEW_ID}/../x`, 1].map((id) =>
    stopped(`a review whose id is ${JSON.stringify(id)}`, reviewing({ opened: { id }, read: { id } })),
  ),
  ...['javascript:alert(1)', '', undefined, 'http://a b'].map((url) =>
    stopped(`a review whose url is ${JSON.stringify(url)}`, reviewing({ opened: { url } })),
  ),
];

const decisions: readonly Scenario[] = [
  stopped('an approval after which the service still pauses', reviewing({ allow: pauseAgain })),
  stopped(
    'an approval after which the service blocks',
    reviewing({ allow: { decision: 'block', allowed: false } }),
  ),
  stopped(
    'an allow for another intent after an approval',
    reviewing({ allow: { intentDigest: OTHER_DIGEST } }),
  ),
  stopped('a freeze after an approval', reviewing({ allow: frozen }), 'frozen'),
  stopped('a limit after an approval', reviewing({ allow: beyond }), 'limit'),
  stopped(
    'an allow after an approval that another run has taken',
    reviewing({ allow: { redemption: { redeemedAt: '2026-01-01T00:00:00Z', claim: 'another' } } }),
    'taken',
  ),
  stopped('a freeze that offers a review', reviewing({ pause: { reason_code: 'frozen' } }), 'frozen'),
  stopped('a broken allow after an approval', reviewing({ allow: { allowed: false } })),
  stopped('nobody to ask after an approval', reviewing({ allow: ({ socket }) => void socket.end() })),
  stopped('a pause that names nothing to review', reviewing({ pause: { review: { controls: [] } } })),
  stopped('a pause whose review is no list', reviewing({ pause: { review: { controls: 'approval' } } })),
  stopped('a pause without an id', reviewing({ pause: { decision_id: undefined } })),
  stopped('an allow in place of the review, when opened', reviewing({ opened: answerWith({}) })),
  stopped('an allow in place of the review, when read', reviewing({ read: answerWith({}) })),
  stopped('an allow beside an open review', reviewing({ read: allowBeside })),
];

const transport: readonly Scenario[] = (['opened', 'read'] as const).flatMap((step) => [
  ...[202, 400, 401, 403, 404, 409, 500, 503].map((status) =>
    stopped(
      `status ${status} with an approval, when ${step}`,
      reviewing({ [step]: approvedWith({}, status) }),
    ),
  ),
  stopped(`a redirect to an approval, when ${step}`, (attack) => {
    if (attack.requestLine.endsWith('/elsewhere')) return answerReview(attack, approvedReviewFor(attack));
    return reviewing({
      [step]: ({ socket }: Attack) =>
        void socket.end(httpAnswer('', { status: 307, headers: { Location: '/elsewhere' } })),
    })(attack);
  }),
  ...(
    [
      ['HTML', () => '<!doctype html><title>Sign in</title>'],
      ['half of it', (json) => json.slice(0, json.length / 2)],
      ['a state twice', (json) => json.replace('"state"', '"state":"open","state"')],
      ['a state twice, once escaped', (json) => json.replace('"state"', '"\\u0073tate":"open","state"')],
      ['a bare review', (json) => JSON.stringify(JSON.parse(json).review)],
      ['a review in a list', (json) => json.replace('{"review":', '{"review":[').replace(/}$/, ']}')],
      ['a review as a prototype', (json) => `{"__proto__":${json}}`],
      ['32 MiB of spaces', (json) => ' '.repeat(32 * MIB) + json],
    ] satisfies readonly (readonly [string, (json: string) => string])[]
  ).map(([name, text]) =>
    stopped(`${name} around an approval, when ${step}`, reviewing({ [step]: approvalText(text) })),
  ),
  stopped(
    `a gzip bomb around an approval, when ${step}`,
    reviewing({
      [step]: approvalText((json) => gzipSync(' '.repeat(64 * MIB) + json), { 'Content-Encoding': 'gzip' }),
    }),
  ),
  stopped(
    `an approval that says it is text, when ${step}`,
    reviewing({ [step]: approvalText((json) => json, { 'Content-Type': 'text/plain' }) }),
  ),
  stopped(`silence, when ${step}`, reviewing({ [step]: () => {} })),
  stopped(
    `an approval after all the time there is, when ${step}`,
    reviewing({
      [step]: async (attack: Attack) => {
        await pause(attack.timeoutMs * 9);
        answerReview(attack, approvedReviewFor(attack));
      },
    }),
  ),
  stopped(
    `an approval fed a byte at a time, when ${step}`,
    reviewing({
      [step]: (attack: Attack) => {
        const bytes = httpAnswer(JSON.stringify({ review: approvedReviewFor(attack) }));
        return drip(attack, bytes, 1, (attack.timeoutMs * 8) / bytes.length);
      },
    }),
  ),
]);

export const REVIEW_SCENARIOS: readonly Scenario[] = [
  ...honest,
  ...states,
  ...evidence,
  ...otherReviews,
  ...decisions,
  ...transport,
];

function answerReview(attack: Attack, review: object, status = 200): void {
  attack.socket.end(httpAnswer(JSON.stringify({ review }), { status }));
}

function approvedWith(change: Readonly<Record<string, unknown>>, status = 200): Answer {
  return (attack) => answerReview(attack, approvedReviewFor(attack, change), status);
}

function approvalText(
  text: (json: string) => string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (attack) => {
    const json = JSON.stringify({ review: approvedReviewFor(attack) });
    return answerText(() => text(json), { headers })(attack);
  };
}

function pauseAgain(attack: Attack): void {
  attack.socket.end(httpAnswer(JSON.stringify(pauseFor(attack))));
}

function frozen(attack: Attack): void {
  const pause = { ...pauseFor(attack), reason: 'stopped by hand', reason_code: 'frozen' };
  attack.socket.end(httpAnswer(JSON.stringify(pause)));
}

function beyond(attack: Attack): void {
  const pause = { ...pauseFor(attack), reason_code: 'limit_exceeded', limits: [] };
  attack.socket.end(httpAnswer(JSON.stringify(pause)));
}

function allowBeside(attack: Attack): void {
  attack.socket.end(httpAnswer(JSON.stringify({ ...attack.allow, review: openReviewFor(attack) })));
}
