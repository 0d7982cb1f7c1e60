/** The shape of the controls that a pack defines, and of the sources they accept. */
import { ASSURANCES, given } from '@writecheck/contract';
import { list, object, onlyTrue, table, word } from './build-shape.ts';
import { NOBODY } from './nobody.ts';
import { REVIEW, REVIEW_NEVER_BLOCKS } from './review-shapes.ts';
import type { Rule } from './shape.ts';
import { CONTROL_ID, DURATION, name } from './text-shapes.ts';

const SOURCES_MAX = 256;

export function sources(description: string, ifEmpty?: string) {
  const more = { description, ...given({ ifEmpty }) };
  return list('a list of source names', name('a source name', ''), [1, SOURCES_MAX], more);
}

function effect(description: string) {
  return word(['pause', 'block'], description);
}

function needsAttested(member: string): Rule {
  return {
    at: `/${member}`,
    message: `\`${member}\` needs \`assurance: attested\``,
    holds: (value) => !Object.hasOwn(value, member) || value.assurance === 'attested',
    schema: {
      dependentSchemas: {
        [member]: { required: ['assurance'], properties: { assurance: { const: 'attested' } } },
      },
    },
  };
}

const RULES: readonly Rule[] = [
  needsAttested('use'),
  needsAttested('bind'),
  needsAttested('review'),
  needsAttested('facts'),
  {
    at: '/facts',
    message: '`facts` needs `maxAge`: a record changes',
    holds: (value) => !Object.hasOwn(value, 'facts') || Object.hasOwn(value, 'maxAge'),
    schema: { dependentRequired: { facts: ['maxAge'] } },
  },
  {
    at: '/facts',
    message: '`facts` cannot go with `review`: a person approves a write and reads no record',
    holds: (value) => !Object.hasOwn(value, 'facts') || !Object.hasOwn(value, 'review'),
    schema: { not: { required: ['facts', 'review'] } },
  },
  REVIEW_NEVER_BLOCKS,
  {
    at: '/onFailed',
    message:
      '`onUnmet: block` needs `onFailed: block`: a failed check must not weigh less than a missing one',
    holds: (value) => value.onUnmet !== 'block' || value.onFailed !== 'pause',
    schema: {
      not: {
        required: ['onUnmet', 'onFailed'],
        properties: { onUnmet: { const: 'block' }, onFailed: { const: 'pause' } },
      },
    },
  },
];

export const CONTROL = object(
  'a control',
  [],
  {
    maxAge: DURATION,
    sources: sources(
      'Who may have produced the evidence; default: anybody.',
      `if nobody may ever satisfy it, write \`sources: [${NOBODY}], assurance: attested\``,
    ),
    assurance: word(ASSURANCES, 'attested requires a signed item.'),
    use: word(['once'], 'An attestation counts for one allow.'),
    bind: word(['object'], 'An attestation may be bound to the object instead of the whole intent.'),
    onUnmet: effect('The effect of evidence that is missing or does not count; default: pause.'),
    onFailed: effect('The effect of a FAIL; default: block.'),
    review: REVIEW,
    facts: onlyTrue('Conditions may read what its attestations say about the record.'),
  },
  { description: 'What evidence must be like to satisfy the control.', rules: RULES },
);

export const CONTROLS = table(
  'an object of controls by id',
  CONTROL_ID,
  CONTROL,
  'Each control id is defined by at most one pack of a bundle.',
);
