/** The shapes of the parts of profiles and workflows: matches, requirements, authority and modes. */
import { type JsonObject, WRITE_POLICIES } from '@writecheck/contract';
import { sources } from './control-shapes.ts';
import type { EitherShape, ListShape, ObjectShape, Rule, WordShape } from './shape.ts';
import { CONTROL_ID, dateTime, name, plainText } from './text-shapes.ts';

export const REQUIRED_MAX = 256;
const PATTERNS_MAX = 1_024;

export const WRITE_POLICY: WordShape = {
  kind: 'word',
  words: WRITE_POLICIES,
  description:
    'observe records without enforcing; enforce is the default; block_on_mismatch also blocks differing values.',
};

export const OBSERVE_UNTIL = dateTime('From this moment on an observing document enforces.');

export const OBSERVE_UNTIL_NEEDS_OBSERVE: Rule = {
  at: '/observeUntil',
  message: '`observeUntil` needs `writePolicy: observe`',
  holds: (value) => !Object.hasOwn(value, 'observeUntil') || value.writePolicy === 'observe',
  schema: {
    dependentSchemas: {
      observeUntil: { required: ['writePolicy'], properties: { writePolicy: { const: 'observe' } } },
    },
  },
};

const PATTERN_TEXT = name('a pattern', 'Exact, or a glob with *; ASCII letters are caseless.');

export const PATTERN: EitherShape = {
  kind: 'either',
  what: 'a pattern or a list of patterns',
  description: 'Exact, a glob with *, or a list of these.',
  options: [
    PATTERN_TEXT,
    { kind: 'list', what: 'a list of patterns', of: PATTERN_TEXT, min: 1, max: PATTERNS_MAX },
  ],
};

const PROMOTED_FROM: ObjectShape = {
  kind: 'object',
  what: 'a promotion',
  description: 'The assessment this requirement was promoted from.',
  required: [],
  members: {
    source: plainText('Where the assessment was made.'),
    assessmentRef: plainText('The assessment.'),
    runRef: plainText('The run that made the assessment.'),
    promotedAt: plainText('When it was promoted.'),
    promotedBy: plainText('Who promoted it.'),
    status: plainText('The state of the promotion.'),
  },
};

export const REQUIRE: ListShape = {
  kind: 'list',
  what: 'a list of controls',
  description: 'Controls that must be satisfied.',
  min: 0,
  max: REQUIRED_MAX,
  of: {
    kind: 'either',
    what: 'a control id or an object with `control`',
    options: [
      CONTROL_ID,
      {
        kind: 'object',
        what: 'a requirement',
        required: ['control'],
        members: { control: CONTROL_ID, promotedFrom: PROMOTED_FROM },
      },
    ],
  },
};

export const AUTHORITY: EitherShape = {
  kind: 'either',
  what: '`required` or an object with `required`, `sources`, `attestedBy`, `confirmedBy`',
  description: 'Whether the authoritative value must be supplied, and by whom.',
  options: [
    { kind: 'word', words: ['required'] },
    {
      kind: 'object',
      what: 'an authority requirement',
      required: [],
      members: {
        required: {
          kind: 'flag',
          description: 'Default: true. False asks for no values, even if `match` names a field.',
        },
        sources: sources('Accepted authority sources; default: any.'),
        attestedBy: CONTROL_ID,
        confirmedBy: {
          ...CONTROL_ID,
          description: 'A control with `review` that lets a person confirm authority.',
        },
      },
    },
  ],
};

export const DIFFERENT: ListShape = {
  kind: 'list',
  what: 'a list of control ids',
  description: "No person's approval counts for two of these controls.",
  of: CONTROL_ID,
  min: 2,
  max: REQUIRED_MAX,
};

/** What a permit cannot contain: it stands for writes that need nothing of their own. */
const NOT_IN_A_PERMIT = ['require', 'authority', 'compare', 'absent'] as const;

export const PERMIT_NEEDS_NOTHING: readonly Rule[] = [
  ...NOT_IN_A_PERMIT.map(
    (member): Rule => ({
      at: `/${member}`,
      message: `\`permit\` cannot go with \`${member}\`: a permit needs nothing of its own; write a second profile`,
      holds: (value) => !Object.hasOwn(value, 'permit') || !Object.hasOwn(value, member),
      schema: { not: { required: ['permit', member] } },
    }),
  ),
  {
    at: '/writePolicy',
    message: '`permit` cannot go with `writePolicy: block_on_mismatch`: a permit compares no values',
    holds: (value) => !Object.hasOwn(value, 'permit') || value.writePolicy !== 'block_on_mismatch',
    schema: {
      not: {
        required: ['permit', 'writePolicy'],
        properties: { writePolicy: { const: 'block_on_mismatch' } },
      },
    },
  },
];

function asksForNoValues({ authority }: JsonObject): boolean {
  return typeof authority === 'object' && (authority as JsonObject).required === false;
}

const NO_VALUES_SCHEMA = {
  type: 'object',
  required: ['required'],
  properties: { required: { const: false } },
} as const;

/** A profile that asks for no values has none to compare. */
export const NO_VALUES_TO_COMPARE: readonly Rule[] = [
  {
    at: '/compare',
    message: '`compare` cannot go with `authority: { required: false }`, which asks for no values',
    holds: (value) => !Object.hasOwn(value, 'compare') || !asksForNoValues(value),
    schema: { not: { required: ['authority', 'compare'], properties: { authority: NO_VALUES_SCHEMA } } },
  },
  {
    at: '/writePolicy',
    message:
      '`writePolicy: block_on_mismatch` cannot go with `authority: { required: false }`, which asks for no values',
    holds: (value) => value.writePolicy !== 'block_on_mismatch' || !asksForNoValues(value),
    schema: {
      not: {
        required: ['authority', 'writePolicy'],
        properties: { authority: NO_VALUES_SCHEMA, writePolicy: { const: 'block_on_mismatch' } },
      },
    },
  },
];

export const CONFIRMED_OR_BLOCKED: Rule = {
  at: '/authority/confirmedBy',
  message:
    '`confirmedBy` cannot go with `writePolicy: block_on_mismatch`: no person can resolve a mismatch that blocks',
  holds: ({ authority, writePolicy }) =>
    writePolicy !== 'block_on_mismatch' ||
    typeof authority !== 'object' ||
    !Object.hasOwn(authority!, 'confirmedBy'),
  schema: {
    not: {
      required: ['authority', 'writePolicy'],
      properties: {
        authority: { type: 'object', required: ['confirmedBy'] },
        writePolicy: { const: 'block_on_mismatch' },
      },
    },
  },
};
