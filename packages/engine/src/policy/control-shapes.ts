/** The shape of the controls that a pack defines, and of the sources they accept. */
import { ASSURANCES } from '@writecheck/contract';
import { NOBODY } from './nobody.ts';
import { REVIEW, REVIEW_NEVER_BLOCKS } from './review-shapes.ts';
import type { ListShape, ObjectShape, Rule, TableShape, WordShape } from './shape.ts';
import { CONTROL_ID, DURATION, name } from './text-shapes.ts';

const SOURCES_MAX = 256;

export function sources(description: string, ifEmpty?: string): ListShape {
  return {
    kind: 'list',
    what: 'a list of source names',
    of: name('a source name', ''),
    min: 1,
    max: SOURCES_MAX,
    ...(ifEmpty !== undefined && { ifEmpty }),
    description,
  };
}

const EFFECT: WordShape = { kind: 'word', words: ['pause', 'block'] };

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

const CONTROL: ObjectShape = {
  kind: 'object',
  what: 'a control',
  description: 'What evidence must be like to satisfy the control.',
  required: [],
  members: {
    maxAge: DURATION,
    sources: sources(
      'Who may have produced the evidence; default: anybody.',
      `if nobody may ever satisfy it, write \`sources: [${NOBODY}], assurance: attested\``,
    ),
    assurance: { kind: 'word', words: ASSURANCES, description: 'attested requires a signed item.' },
    use: { kind: 'word', words: ['once'], description: 'An attestation counts for one allow.' },
    bind: {
      kind: 'word',
      words: ['object'],
      description: 'An attestation may be bound to the object instead of the whole intent.',
    },
    onUnmet: {
      ...EFFECT,
      description: 'The effect of evidence that is missing or does not count; default: pause.',
    },
    onFailed: { ...EFFECT, description: 'The effect of a FAIL; default: block.' },
    review: REVIEW,
    facts: {
      kind: 'flag',
      onlyTrue: true,
      description: 'Conditions may read what its attestations say about the record.',
    },
  },
  rules: [
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
  ],
};

export const CONTROLS: TableShape = {
  kind: 'table',
  what: 'an object of controls by id',
  names: CONTROL_ID,
  of: CONTROL,
  description: 'Each control id is defined by at most one pack of a bundle.',
};
