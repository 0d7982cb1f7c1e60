/** Reviews, permits and confirmations that are allowed but most likely a mistake. */
import { durationMs, REVIEW_DESK } from '@writecheck/contract';
import type { ControlDefinition, PolicyDocument, ProfileDocument } from '../policy/documents.ts';
import { exactPointerTo, quoted } from '../policy/faults.ts';
import { reviewRuleFrom } from '../policy/review-rule.ts';
import { asksForValues } from '../policy-compare/compare-profiles.ts';
import { appliesWherever } from '../policy-compare/cover-match.ts';
import type { Warn } from './lint-warning.ts';

export function lintReview(
  document: PolicyDocument,
  id: string,
  { sources, review, maxAge }: ControlDefinition,
  signers: ReadonlySet<string>,
  warn: Warn,
): void {
  const pointer = exactPointerTo('/controls', id);
  if (review !== undefined && sources === undefined && signers.size > 0)
    warn(
      document,
      pointer,
      `not only a person can approve ${quoted(id)}: so can a signature by any source of the bundle, such as ${quoted([...signers][0]!)}; add \`sources: [${REVIEW_DESK}]\`, and each source that may sign approvals`,
    );
  if (review === undefined) {
    if (sources?.includes(REVIEW_DESK) === true)
      warn(document, `${pointer}/sources`, `${quoted(REVIEW_DESK)} approves only controls with \`review\``);
    return;
  }
  if (maxAge !== undefined && durationMs(maxAge) < reviewRuleFrom(review).holdsForMs)
    warn(
      document,
      `${pointer}/maxAge`,
      `an approval of ${quoted(id)} counts for ${maxAge} only, which is less than its \`holdsFor\``,
    );
}

export function lintConfirmation(profile: ProfileDocument, warn: Warn): void {
  if (typeof profile.authority !== 'object' || profile.authority.confirmedBy === undefined) return;
  const { sources, attestedBy } = profile.authority;
  if (sources === undefined && attestedBy === undefined && !asksForValues(profile))
    warn(
      profile,
      '/authority/confirmedBy',
      'it has no effect: the profile neither requires authority nor names `sources` or `attestedBy`',
    );
}

export function lintPermits(profiles: readonly ProfileDocument[], warn: Warn): void {
  for (const permit of profiles) {
    if (permit.permit !== true) continue;
    if (permit.match === undefined && permit.when === undefined)
      warn(permit, '', 'it permits every write that no other profile restricts; limit it with `match`');
    const shadow = profiles.find(
      (other) =>
        other.permit !== true &&
        other.writePolicy !== 'observe' &&
        (other.require ?? []).length > 0 &&
        appliesWherever(other, permit),
    );
    if (shadow !== undefined)
      warn(
        permit,
        '/permit',
        `it has no effect: ${quoted(shadow.id)} applies to the same writes, and what it requires still counts`,
      );
  }
}
