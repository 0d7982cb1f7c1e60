/** The shape of `review`: how a person may satisfy a control. */
import { durationMs, REVIEW_IDENTITIES } from '@writecheck/contract';
import { count, either, flag, list, object, onlyTrue, word } from './build-shape.ts';
import type { Rule } from './shape.ts';
import { DURATION, name } from './text-shapes.ts';

const APPROVALS_MAX = 5;
const GROUPS_MAX = 256;

function durationWithin(least: string, most: string, description: string): typeof DURATION {
  return {
    ...DURATION,
    description,
    refuse: (text) => {
      const ms = durationMs(text);
      return ms < durationMs(least) || ms > durationMs(most)
        ? `must be a duration from ${least} to ${most}, found \`${text}\``
        : null;
    },
  };
}

const ONE_OWNER: Rule = {
  at: '/identity',
  message: '`approvals` over 1 need `identity: person` or `passkey`: all owner keys count as one reviewer',
  holds: (value) => value.identity !== 'any' || value.approvals === undefined || value.approvals === 1,
  schema: {
    not: {
      required: ['identity', 'approvals'],
      properties: { identity: { const: 'any' }, approvals: { type: 'integer', minimum: 2 } },
    },
  },
};

export const REVIEW_SETTINGS = object(
  'a review',
  [],
  {
    groups: list('a list of group names', name('a group name', ''), [1, GROUPS_MAX], {
      description: 'A reviewer must be in one of these; default: anyone who may review.',
    }),
    approvals: count(1, APPROVALS_MAX, 'How many different people must approve; default: 1.'),
    identity: word(
      REVIEW_IDENTITIES,
      'any accepts an owner key, person (the default) a signed-in person, passkey a signed verdict.',
    ),
    expiresIn: durationWithin('1m', '30d', 'How long the review stays open; default: 24h.'),
    holdsFor: durationWithin('1m', '7d', 'How long an approval counts; default: 1h.'),
    selfReview: flag('Whether the requester may approve; default: false.'),
  },
  { rules: [ONE_OWNER] },
);

export const REVIEW = either(
  '`true` or an object with `groups`, `approvals`, `identity`, `expiresIn`, `holdsFor`, `selfReview`',
  [onlyTrue(), REVIEW_SETTINGS],
  'A person may satisfy the control in a review; true means every default.',
);

export const REVIEW_NEVER_BLOCKS: Rule = {
  at: '/review',
  message: '`review` cannot go with `onUnmet: block`: a blocked write cannot wait for a review',
  holds: (value) => !Object.hasOwn(value, 'review') || value.onUnmet !== 'block',
  schema: {
    not: { required: ['review', 'onUnmet'], properties: { onUnmet: { const: 'block' } } },
  },
};
