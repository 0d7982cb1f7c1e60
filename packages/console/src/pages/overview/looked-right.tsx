/** The overview's first sentence: writes that were stopped although their value looked right, and what was at stake. */

import type { DecisionSummary, Review } from '@writecheck/api';
import type { ComponentChildren } from 'preact';
import { part, success } from '../../api.ts';
import { listDecisions } from '../../calls/decisions.ts';
import { listReviews } from '../../calls/reviews.ts';
import { cutAround } from '../../components/cut-around.ts';
import { keptDetail, lookAlikesIn, readDetails } from '../../components/decision/details.ts';
import { amountOf } from '../../components/decision/said-in-intent.ts';
import { rangeOf } from '../../components/decision/time-range.ts';
import { WriteTitle } from '../../components/decision/write-title.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/page.tsx';
import { mayDo } from '../../components/review/may-do.ts';
import { endOf } from '../../components/review/review-words.tsx';
import { useIsListed } from '../../components/review/use-is-listed.ts';
import { RevealedText, Told } from '../../components/text.tsx';
import { joined } from '../../replies.ts';
import { href } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';

/** Each costs a request. */
const READ_MAX = 20;
const SHOWN_MAX = 3;

/** Nothing on a day without any. */
export function LookedRight() {
  const { value } = useLoad('looked right', caughtLately);
  if (value === null || value.caught.length + value.waiting.length === 0) return null;
  const attempts = value.caught.reduce((sum, { attempts: each }) => sum + each, value.waiting.length);
  return (
    <Section
      kind="card caught"
      title={
        <>
          {value.areMore && 'At least '}
          {attempts === 1 ? '1 write that looked right was' : `${attempts} writes that looked right were`}{' '}
          stopped in the last 24 hours
        </>
      }
    >
      {value.caught.length > 0 && (
        <p class="quiet">A marked value looks like the one in the source of record, but has other letters.</p>
      )}
      <ul class="brief">
        {value.caught.slice(0, SHOWN_MAX).map(({ row, shown, ...caught }, at) => (
          <Row
            key={row.decision_id}
            {...caught}
            id={row.decision_id}
            target={row}
            by={row.keyName ?? row.keyId}
            at={row.timestamp}
            isFirst={at === 0}
          >
            <code>
              <RevealedText text={shown} isWary />
            </code>
          </Row>
        ))}
        {value.waiting.slice(0, SHOWN_MAX).map(({ review, why }, at) => (
          <Row
            key={review.id}
            id={review.decisionId}
            target={review.intent}
            by={review.askedBy[0]?.keyName ?? review.askedBy[0]?.keyId ?? 'unknown'}
            at={review.openedAt}
            amount={amountOf(review.intent)}
            review={review}
            isFirst={at === 0 && value.caught.length === 0}
          >
            <span class="small-text">
              <Told text={why} />
            </span>
          </Row>
        ))}
      </ul>
    </Section>
  );
}

function Row({
  id,
  target,
  by,
  at,
  amount,
  review,
  isFirst,
  attempts = 1,
  children,
}: {
  /** Of the decision. */
  readonly id: string;
  readonly target: object;
  readonly by: string;
  readonly at: string;
  readonly amount: string | null;
  readonly review: Review | null;
  readonly isFirst: boolean;
  readonly attempts?: number;
  /** What is wrong with it. */
  readonly children: ComponentChildren;
}) {
  return (
    <li class="caught-row">
      <span>
        <a href={href(`/decisions/${id}`)}>
          <WriteTitle target={target} isBrief />
        </a>
        <span class="line quiet small-text">
          {attempts > 1 && `${attempts} attempts, the last by `}
          <RevealedText text={by} />, <Moment at={at} />
        </span>
      </span>
      {children}
      <span class="at-stake">
        {amount !== null && (
          <strong>
            <RevealedText text={amount} />
          </strong>
        )}
      </span>
      <span>{review !== null && <End review={review} isFirst={isFirst} />}</span>
    </li>
  );
}

/** How it ended, or the way to end it for those who may. */
function End({ review, isFirst }: { readonly review: Review; readonly isFirst: boolean }) {
  const end = endOf(review);
  const { mayVote } = mayDo(review, useSession()?.person, useIsListed(review));
  if (end === null)
    return (
      <a class={mayVote && isFirst ? 'button primary' : 'button'} href={href(`/reviews/${review.id}`)}>
        {mayVote ? 'Decide it' : 'Show it'}
      </a>
    );
  return (
    <a class="small-text" href={href(`/reviews/${review.id}`)}>
      <RevealedText text={end} />, <Moment at={review.resolvedAt ?? review.expiresAt} />
    </a>
  );
}

async function caughtLately(signal: AbortSignal) {
  const listed = await listDecisions(
    { lately: rangeOf('24h'), reason_code: 'authority_mismatch', limit: String(READ_MAX) },
    signal,
  );
  if (listed.kind === 'failure') return listed;
  const { decisions } = listed.value;
  await readDetails(
    decisions.map(({ decision_id }) => decision_id),
    signal,
  );
  const byMember = new Map<string, DecisionSummary[]>();
  for (const row of decisions) {
    if (row.decision === 'allow' || lookAlikesIn(row.decision_id) === null) continue;
    const member = JSON.stringify([row.system, row.objectType, row.objectRef, row.field]);
    byMember.set(member, [...(byMember.get(member) ?? []), row]);
  }
  const found = [...byMember.values()];
  const caught = await Promise.all(
    found.map(async (rows, at) => {
      const row = rows[0]!;
      const [agentValue, authorityValue] = lookAlikesIn(row.decision_id)!;
      return {
        row,
        attempts: rows.length,
        // The newest value, around what differs.
        shown: cutAround(agentValue, authorityValue).left,
        amount: amountOf(keptDetail(row.decision_id)?.intent ?? {}),
        review: at < SHOWN_MAX ? await reviewOf(row, agentValue, signal) : null,
      };
    }),
  );
  const waiting = await waitingNow(signal);
  if (waiting.kind === 'failure') return waiting;
  // There may be more mismatches than were read.
  return success({ caught, waiting: waiting.value, areMore: listed.value.nextCursor !== null });
}

const LOOKED_THROUGH = '200';

/** Open reviews whose texts deceive, or that another open one contradicts. Look-alikes are found by their decisions. */
async function waitingNow(signal: AbortSignal) {
  const open = await listReviews({ state: 'open', limit: LOOKED_THROUGH }, signal);
  if (open.kind === 'failure') return open;
  // They are not part of the first view, which must stay small.
  const parts = await joined([
    part(import('../../components/review/warnings.ts')),
    part(import('../../components/review/rivals.ts')),
  ]);
  if (parts.kind === 'failure') return parts;
  const [{ warningsOf, isGrave }, { conflictingIn }] = parts.value;
  const isAttack = (review: Review) => warningsOf(review).some(isGrave);
  // A text that deceives before a mere contradiction.
  const reviews = open.value.reviews.toSorted((a, b) => Number(isAttack(b)) - Number(isAttack(a)));
  const rivals = conflictingIn(reviews);
  return success(
    reviews.flatMap((review) => {
      const around = { lookAlikes: 0, conflicting: rivals.get(review.id) ?? [] };
      const [worst] = warningsOf(review, around).filter((each) => isGrave(each) || each.kind === 'conflict');
      return worst === undefined || worst.kind === 'twins' ? [] : [{ review, why: worst.text }];
    }),
  );
}

async function reviewOf(
  { system, objectRef }: DecisionSummary,
  agentValue: string,
  signal: AbortSignal,
): Promise<Review | null> {
  if (objectRef === null) return null;
  const listed = await listReviews({ system, objectRef }, signal);
  if (listed.kind === 'failure') return null;
  // The service lists open reviews first, then the newest.
  return listed.value.reviews.find(({ intent }) => intent.agentValue === agentValue) ?? null;
}
