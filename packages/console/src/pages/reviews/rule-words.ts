/** What a review needs, in words; of one that is over, what it needed. */

import type { Review } from '@writecheck/api';
import { counted } from '../../components/counted.ts';
import { quoted } from '../../components/quoted.ts';

export function whyInWords({ state, controls, different = [] }: Review, agent: string): string {
  const subjects = new Set(controls.map(whoMust));
  // Only if the same people may approve every control does one subject say it all.
  const [who] = subjects.size === 1 && different.length === 0 ? subjects : [];
  if (state === 'open')
    return who === undefined
      ? `Each control below must be approved before ${agent} may write.`
      : `${who} must approve this before ${agent} may write.`;
  return who === undefined
    ? `Each control below had to be approved before ${agent} could write.`
    : `${who} had to approve this before ${agent} could write.`;
}

/** At the beginning of a sentence. */
function whoMust({ groups, approvals }: Review['controls'][number]): string {
  if (groups === null) return approvals > 1 ? `${approvals} reviewers` : 'A reviewer';
  const named = groups.join(' or ');
  return approvals > 1 ? `${approvals} members of ${named}` : `A member of ${named}`;
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
