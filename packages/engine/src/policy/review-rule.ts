/** Turns the `review` of a control into the rule that its reviews must meet. */
import { canonicalJson, durationMs, type JsonValue } from '@writecheck/contract';
import type { ReviewSettings } from './documents.ts';
import type { ReviewRule } from './snapshot.ts';

const DEFAULTS = {
  approvals: 1,
  identity: 'person',
  expiresIn: 86_400,
  holdsFor: 3_600,
  selfReview: false,
} as const;

export function reviewRuleFrom(review: true | ReviewSettings): ReviewRule {
  const settings = review === true ? {} : review;
  const groups = settings.groups === undefined ? null : Object.freeze([...new Set(settings.groups)].sort());
  const approvals = settings.approvals ?? DEFAULTS.approvals;
  const identity = settings.identity ?? DEFAULTS.identity;
  const expiresIn = secondsOf(settings.expiresIn) ?? DEFAULTS.expiresIn;
  const holdsFor = secondsOf(settings.holdsFor) ?? DEFAULTS.holdsFor;
  const selfReview = settings.selfReview ?? DEFAULTS.selfReview;
  const members = { approvals, identity, expiresIn, holdsFor, selfReview };
  const said: { [member: string]: JsonValue } = {};
  for (const [member, value] of Object.entries(members))
    if (value !== DEFAULTS[member as keyof typeof DEFAULTS]) said[member] = value;
  if (groups !== null) said.groups = groups;
  return Object.freeze({
    groups,
    approvals,
    identity,
    expiresInMs: expiresIn * 1_000,
    holdsForMs: holdsFor * 1_000,
    selfReview,
    canonical: canonicalJson(said),
  });
}

function secondsOf(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : durationMs(duration) / 1_000;
}

/** The rule of every control in a workspace that never applied a bundle. */
export const FIRST_REVIEW_RULE: ReviewRule = reviewRuleFrom({ identity: 'any' });
