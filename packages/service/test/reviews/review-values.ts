/** Reviews, rules and authors for tests of reviews. */
import type { ReviewRule, ReviewTerms } from '@writecheck/engine';
import type { ActResult, Changed } from '../../src/features/reviews/act-result.ts';
import type { ControlOf } from '../../src/features/reviews/approval.ts';
import {
  type Author,
  type Commenter,
  OWNER_KEY_STANDING,
  type Standing,
  type StandingOf,
} from '../../src/features/reviews/author.ts';
import { type NewReview, openReview, type ReviewContext } from '../../src/features/reviews/open-review.ts';
import type { Review } from '../../src/features/reviews/review.ts';

export const T0 = Date.UTC(2026, 10, 15, 12);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function ruleOf(members: Partial<Omit<ReviewRule, 'canonical'>> = {}): ReviewRule {
  const rule = {
    groups: null,
    approvals: 1,
    identity: 'any',
    expiresInMs: DAY,
    holdsForMs: HOUR,
    selfReview: false,
    ...members,
  } as const;
  // Enough to distinguish rules; the engine's own tests cover its form.
  return { ...rule, canonical: JSON.stringify(rule) } as ReviewRule;
}

export interface Rules {
  readonly [controlId: string]: ReviewRule | null;
}

export function controlsOf(rules: Rules, maxAges: { readonly [controlId: string]: number } = {}): ControlOf {
  return (controlId) => ({ review: rules[controlId] ?? null, maxAgeMs: maxAges[controlId] ?? null });
}

export const OWNER: Author = { kind: 'owner_key', id: 'key_owner' };
export const OTHER_OWNER: Author = { kind: 'owner_key', id: 'key_owner2' };
export const AGENT: Commenter = { kind: 'checking_key', id: 'key_agent' };

export function person(id: string): Author {
  return { kind: 'person', id };
}

/** Owner keys, and the people named here; null for one that does not exist or is revoked. */
export function standings(people: { readonly [id: string]: Partial<Standing> | null } = {}): StandingOf {
  return ({ kind, id }) => {
    const given = people[id];
    if (kind === 'owner_key') return given === null ? null : OWNER_KEY_STANDING;
    if (given === undefined || given === null) return null;
    return {
      mayReview: true,
      isOwner: false,
      groups: [],
      identity: 'person',
      hasAsked: false,
      isExcludedByCaller: false,
      epoch: 1,
      ...given,
    };
  };
}

let made = 0;

export function circumstances(members: Partial<ReviewContext> & Pick<ReviewContext, 'controlOf'>) {
  const newId = () => {
    made += 1;
    return `rev_${made.toString(16).padStart(32, '0')}`;
  };
  return { standingOf: standings(), epochOf: () => 1, ownersOfKey: () => [], nowMs: T0, newId, ...members };
}

export const NO_TERMS: ReviewTerms = { confirms: null, different: [], requesterRequired: false };

export const DIGEST = `sha256:${'ab'.repeat(32)}`;

export function askedFor(
  controlIds: readonly string[],
  members: Partial<NewReview['asker']> = {},
): NewReview {
  return {
    write: {
      workspace: 'ws_1',
      decisionId: 'dec_1',
      intentDigest: DIGEST,
      keyKind: 'live',
      intentText: INTENT_TEXT,
      system: 'erp',
      objectRef: 'V-1',
      likeness: 'like',
      alsoNeeded: [],
    },
    controlIds,
    terms: NO_TERMS,
    asker: {
      keyId: AGENT.id,
      justification: null,
      onBehalfOf: null,
      externalRef: null,
      atMs: T0,
      ...members,
    },
    by: AGENT,
  };
}

const INTENT_TEXT = JSON.stringify({
  system: 'erp',
  objectType: 'vendor',
  objectRef: 'V-1',
  field: 'iban',
  agentValue: 'DE1',
  runId: 'r',
  controlEvidence: [{ controlId: 'identity', source: 'okta', result: 'PASS' }],
  metadata: { a: 1 },
});

export function opened(rules: Rules, terms: Partial<ReviewTerms> = {}): Review {
  const outcome = openReview(
    { ...askedFor(Object.keys(rules)), terms: { ...NO_TERMS, ...terms } },
    [],
    circumstances({ controlOf: controlsOf(rules) }),
  );
  if (outcome.kind !== 'opened') throw new Error(JSON.stringify(outcome));
  return outcome.outcome.review;
}

/** The resulting change; fails if it was refused or changed nothing. */
export function change(outcome: ActResult): Changed {
  if (outcome.kind !== 'changed') throw new Error(JSON.stringify(outcome));
  return outcome;
}

export function codeOf(outcome: ActResult | { readonly kind: string }): string {
  return 'code' in outcome ? (outcome.code as string) : outcome.kind;
}
