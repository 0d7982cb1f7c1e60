/** What a review needs, in words; of one that is over, what it needed. */

import type { Review } from '@writecheck/api';
import { counted } from '../../components/counted.ts';
import { quoted } from '../../components/quoted.ts';
import { whoMust } from '../../components/review/review-words.tsx';

export function whyInWords({ state, controls }: Review, agent: string): string {
  return state === 'open'
    ? `${whoMust(controls)} must approve this before ${agent} may write.`
    : `${whoMust(controls)} had to approve this before ${agent} could write.`;
}

export function given(
  { state, verdicts }: Review,
  { controlId, approvals }: Review['controls'][number],
): string {
  const count = verdicts.filter(
    ({ verdict, controls }) => verdict === 'approve' && controls.includes(controlId),
  ).length;
  // How far it was from an approval no longer matters once it was rejected or ran out.
  if (state !== 'open' && count < approvals) return `needed ${counted(approvals, 'approval')}`;
  return state === 'open'
    ? `${count} of ${counted(approvals, 'approval')}`
    : `had ${count} ${approvals === 1 ? 'approval' : 'approvals'}`;
}

const IDENTITIES: {
  readonly [identity in Review['controls'][number]['identity']]: readonly [is: string, was: string];
} = {
  any: ['An owner key is enough.', 'An owner key was enough.'],
  person: ['The reviewer must be a signed-in person.', 'The reviewer had to be a signed-in person.'],
  passkey: ['The reviewer must sign with a passkey.', 'The reviewer had to sign with a passkey.'],
};

export function ruleInWords(
  { state, askedBy }: Review,
  { groups, identity, selfReview }: Review['controls'][number],
): string {
  const isOpen = state === 'open';
  const can = isOpen ? 'can' : 'could';
  const who =
    groups === null
      ? `Anyone who may review ${can} approve.`
      : `Only members of ${groups.map((group) => `\`${group}\``).join(', ')} ${can} approve.`;
  const named = [...new Set(askedBy.flatMap(({ onBehalfOf }) => onBehalfOf ?? []))].map(quoted);
  const self = `${named.join(' and ') || 'Whoever asked for it'} ${isOpen ? 'may' : 'could'} ${selfReview ? '' : 'not '}approve it.`;
  return `${who} ${IDENTITIES[identity][isOpen ? 0 : 1]} ${self}`;
}

/** `profile:refunds@1` is "the rule refunds"; what a request named itself, its agent asked for. */
export function requirerInWords(source: string): string {
  if (source === 'request') return 'the agent’s request';
  const [, kind, id] = /^(profile|workflow|limit):([^@]+)/.exec(source) ?? [];
  if (id === undefined) return quoted(source);
  return `the ${kind === 'profile' ? 'rule' : kind} ${quoted(id)}`;
}
