/** Puts the approved reviews of a golden case into a running service's store. */

import { intentDigest, intentFromValue } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import type { CaseReview, ConformanceCase } from '../../../../conformance/case.ts';
import { snapshotOf } from '../../../../conformance/decide-case.ts';
import { inviting, newPerson } from '../../../store/test/store-contract/store-contract-people.ts';
import { OWNER_KEY_STANDING, type Standing } from '../../src/features/reviews/author.ts';
import { changeOf } from '../../src/features/reviews/commit-changes.ts';
import { judgeVerdict } from '../../src/features/reviews/judge-verdict.ts';
import { openReview } from '../../src/features/reviews/open-review.ts';
import { askedFor, change, person } from '../reviews/review-values.ts';

/**
 * Opened and approved by the real code at the case's time. The store is used directly: some cases refer to a review
 * that the service would not open for this very decision, and all of them to its id.
 */
export async function approveAsStated(
  store: Pick<Store, 'changeReviews' | 'changePerson'>,
  workspace: string,
  conformanceCase: ConformanceCase,
): Promise<void> {
  const { controlOf } = snapshotOf(conformanceCase);
  const byReview = Map.groupBy(conformanceCase.reviews, ({ review }) => review);
  for (const [id, items] of byReview) {
    const controlIds = items.map(({ item }) => controlIdOf(conformanceCase, item));
    // Nobody could have opened this review.
    if (controlIds.some((controlId) => controlOf(controlId).review === null)) continue;
    const nowMs = Date.parse(items[0]!.approvedAt);
    const asked = askedFor(controlIds);
    const digest = digestOf(conformanceCase);
    const write = { ...asked.write, workspace, intentDigest: digest, keyKind: 'development' } as const;
    const groups = controlIds.flatMap((controlId) => controlOf(controlId).review?.groups ?? []);
    const reviewer = newPerson(workspace, { groups, state: 'active', invitation: null });
    await store.changePerson(inviting(reviewer));
    const { epoch } = reviewer;
    const standing: Standing = { ...OWNER_KEY_STANDING, groups, epoch };
    const standingOf = () => standing;
    // The control that confirms authority comes first.
    const terms = { ...asked.terms, confirms: controlIds[0]! };
    const opened = openReview({ ...asked, write, terms }, [], {
      controlOf,
      epochOf: () => null,
      ownersOfKey: () => [],
      nowMs,
      newId: () => id,
    });
    if (opened.kind !== 'opened') throw new Error(`the review is ${opened.kind}`);
    const given = {
      verdict: 'approve',
      by: person(reviewer.id),
      intentDigest: digest,
      comment: null,
    } as const;
    const approved = change(
      judgeVerdict(opened.outcome.review, { ...given, signature: null }, standingOf, nowMs),
    );
    requireSame(approved.review.validUntilMs, items);
    await store.changeReviews([changeOf(opened.outcome)]);
    await store.changeReviews([changeOf(approved)]);
  }
}

function controlIdOf({ intent }: ConformanceCase, item: number): string {
  return (intent.controlEvidence as readonly { readonly controlId: string }[])[item]!.controlId;
}

function digestOf({ intent, name }: ConformanceCase): string {
  const parsed = intentFromValue(intent);
  if (parsed.kind !== 'intent') throw new Error(`${name} has an intent that is refused`);
  return intentDigest(parsed.intent);
}

function requireSame(validUntilMs: number | null, items: readonly CaseReview[]): void {
  for (const { validUntil } of items) {
    if (Date.parse(validUntil) !== validUntilMs)
      throw new Error(`the approval does not end at ${validUntil}`);
  }
}
