/** Writes a review's log entries: one for each event, with ids and never with names. */
import { isoTime } from '@writecheck/contract';
import type { Assertion, ReviewEntry, ReviewEvent } from '@writecheck/ledger';
import type { Commenter } from './author.ts';
import type { Review, Verdict } from './review.ts';

export function entryOf(
  { id, write }: Review,
  event: ReviewEvent,
  by: Commenter | null,
  nowMs: number,
  details: ReviewEntry['details'] = {},
): ReviewEntry {
  return {
    kind: 'review',
    event,
    review: id,
    workspace: write.workspace,
    intentDigest: write.intentDigest,
    timestamp: isoTime(nowMs),
    by: by === null ? null : { kind: by.kind, id: by.id },
    details,
  };
}

export function openedEntry(review: Review, by: Commenter, nowMs: number): ReviewEntry {
  const controls = review.controls.map(({ controlId, rule }) => ({
    controlId,
    rule: JSON.parse(rule.canonical) as unknown,
  }));
  return entryOf(review, 'opened', by, nowMs, {
    decisionId: review.write.decisionId,
    keyKind: review.write.keyKind,
    keyId: review.askedBy[0]!.keyId,
    controls,
    ...(review.terms.confirms !== null && { confirms: review.terms.confirms }),
    ...(review.terms.different.length > 0 && { different: review.terms.different }),
    expiresAt: isoTime(review.expiresAtMs),
  });
}

/** `assertion` is the one that verified, so that an auditor can verify it again without the database. */
export function verdictEntry(review: Review, given: Verdict, assertion: Assertion | null): ReviewEntry {
  const { verdict, controls, comment, identity } = given;
  return entryOf(review, 'verdict', given.by, given.atMs, {
    verdict,
    controls,
    comment,
    identity,
    assertion,
  });
}
