/** The honest responses of a service with one review, which scenarios then change. */
import { httpAnswer } from './answers.ts';
import { type Attack, allowFor, type ReceivedRequest } from './hostile-server.ts';

type Members = Readonly<Record<string, unknown>>;

export const CONTROL = 'approval';
export const REVIEW_ID = 'rev_0190f0f0f0f07000800000000000000b';
const CHECK = /^POST \/(api\/)?v1\/check-write$/;

/** The response to each kind of request. A function sends its own response. */
interface ReviewScript {
  readonly pause?: Members | Answer;
  readonly opened?: Members | Answer;
  readonly read?: Members | Answer;
  readonly allow?: Members | Answer;
}

export type Answer = (attack: Attack) => void | Promise<void>;

/**
 * Pauses, opens, approves when the review is read, and allows a check with its evidence, unless the script differs.
 */
export function reviewing(script: ReviewScript): Answer {
  return (attack) => {
    const { requestLine, body } = attack;
    if (CHECK.test(requestLine)) {
      return body.includes('urn:writecheck:review:')
        ? give(attack, script.allow ?? {}, (change) => ({ ...attack.allow, ...change }))
        : give(attack, script.pause ?? {}, (change) => ({ ...pauseFor(attack), ...change }));
    }
    if (requestLine === 'POST /v1/reviews')
      return give(attack, script.opened ?? {}, (change) => ({ review: openReviewFor(attack, change) }), 201);
    if (/^GET \/v1\/reviews\/rev_/.test(requestLine))
      return give(attack, script.read ?? {}, (change) => ({ review: approvedReviewFor(attack, change) }));
    attack.socket.end(httpAnswer('{"reviews":[],"nextCursor":null}'));
  };
}

export function pauseFor({ allow }: Pick<Attack, 'allow'>): Members {
  const { validUntil: _, redemption: __, ...rest } = allow;
  return {
    ...rest,
    decision: 'pause',
    allowed: false,
    reason: 'Control `approval` has no evidence; supply a PASS.',
    reason_code: 'CONTROL_EVIDENCE_MISSING',
    reasonCode: 'CONTROL_EVIDENCE_MISSING',
    execution_status: 'held_for_review',
    review: { controls: [CONTROL] },
  };
}

export function openReviewFor(attack: Attack, change: Members = {}): Members {
  return {
    id: REVIEW_ID,
    state: 'open',
    decisionId: 'dec_0190f0f0f0f07000800000000000000a',
    intentDigest: digestAskedAbout(attack.history),
    controls: [{ controlId: CONTROL, groups: [], approvals: 1, identity: 'any', selfReview: false }],
    alsoNeeded: [],
    verdicts: [],
    comments: [],
    askedBy: [],
    openedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    resolvedAt: null,
    validUntil: null,
    url: `http://localhost/reviews/${REVIEW_ID}`,
    ...change,
  };
}

export function approvedReviewFor(attack: Attack, change: Members = {}): Members {
  const resolvedAt = new Date().toISOString();
  const validUntil = new Date(Date.now() + 3_600_000).toISOString();
  const evidence = [evidenceItem({ checkedAt: resolvedAt, expiresAt: validUntil })];
  return { ...openReviewFor(attack), state: 'approved', resolvedAt, validUntil, evidence, ...change };
}

export function evidenceItem(change: Members = {}): Members {
  return {
    controlId: CONTROL,
    source: 'review-desk',
    result: 'PASS',
    evidenceRef: `urn:writecheck:review:${REVIEW_ID}`,
    ...change,
  };
}

/** The digest of the first check, which an honest review must have. */
function digestAskedAbout(history: readonly ReceivedRequest[]): unknown {
  const check = history.find(({ requestLine }) => CHECK.test(requestLine));
  return allowFor(check?.body ?? '').intentDigest;
}

function give(
  attack: Attack,
  script: Members | Answer,
  make: (change: Members) => Members,
  status = 200,
): void | Promise<void> {
  if (typeof script === 'function') return script(attack);
  attack.socket.end(httpAnswer(JSON.stringify(make(script)), { status }));
}
