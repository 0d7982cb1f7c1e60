/** The shapes of the parts of profiles and workflows: matches, requirements, authority and modes. */
import { type JsonObject, REQUIRED_CONTROLS_MAX, WRITE_POLICIES } from '@writecheck/contract';
import { either, flag, list, object, text, word } from './build-shape.ts';
import { sources } from './control-shapes.ts';
import type { Rule } from './shape.ts';
import { CONTROL_ID, dateTime, name, plainText } from './text-shapes.ts';

const PATTERNS_MAX = 1_024;

export const CONDITION_LENGTH_MAX = 2_000;
export const CONDITION_TOO_LONG_FIX = 'split it into several profiles';

export function kind<const K extends string>(name: K) {
  return word([name], 'The kind of document.');
}

export const VERSION = name('a version in quotes', 'Shown in provenance.');

export const WHEN = text({
  what: 'a condition',
  pattern: /^[^\p{Cs}]+$/u,
  maxLength: CONDITION_LENGTH_MAX,
  ifLonger: CONDITION_TOO_LONG_FIX,
  description: 'A condition in the CEL subset over `intent`, `facts` and `now`.',
});

export const WRITE_POLICY = word(
  WRITE_POLICIES,
  'observe records without enforcing; enforce is the default; block_on_mismatch also blocks differing values.',
);

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

export const PATTERN = either(
  'a pattern or a list of patterns',
  [PATTERN_TEXT, list('a list of patterns', PATTERN_TEXT, [1, PATTERNS_MAX])],
  'Exact, a glob with *, or a list of these.',
);

export function match(description: string) {
  const members = { system: PATTERN, objectType: PATTERN, field: PATTERN, operation: PATTERN };
  return object('a match', [], members, { description });
}

const PROMOTED_FROM = object(
  'a promotion',
  [],
  {
    source: plainText('Where the assessment was made.'),
    assessmentRef: plainText('The assessment.'),
    runRef: plainText('The run that made the assessment.'),
    promotedAt: plainText('When it was promoted.'),
    promotedBy: plainText('Who promoted it.'),
    status: plainText('The state of the promotion.'),
  },
  { description: 'The assessment this requirement was promoted from.' },
);

export const REQUIREMENT = either('a control id or an object with `control`', [
  CONTROL_ID,
  object('a requirement', ['control'], { control: CONTROL_ID, promotedFrom: PROMOTED_FROM }),
]);

export const REQUIRE = list('a list of controls', REQUIREMENT, [0, REQUIRED_CONTROLS_MAX], {
  description: 'Controls that must be satisfied.',
  ifLonger: 'let several profiles require them',
});

export const AUTHORITY = either(
  '`required` or an object with `required`, `sources`, `attestedBy`, `confirmedBy`',
  [
    word(['required']),
    object('an authority requirement', [], {
      required: flag('Default: true. False requires no values, even if `match` names a field.'),
      sources: sources('Accepted authority sources; default: any.'),
      attestedBy: CONTROL_ID,
      confirmedBy: {
        ...CONTROL_ID,
        description: 'A control with `review` that lets a person confirm authority.',
      },
    }),
  ],
  'Whether the authoritative value must be supplied, and by whom.',
);

export const DIFFERENT = list('a list of control ids', CONTROL_ID, [2, REQUIRED_CONTROLS_MAX], {
  description: "No person's approval counts for two of these controls.",
});

/** Members that a permit cannot have: it covers writes that need nothing of their own. */
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

/** A profile that requires no values has none to compare. */
export const NO_VALUES_TO_COMPARE: readonly Rule[] = [
  {
    at: '/compare',
    message: '`compare` cannot go with `authority: { required: false }`, which requires no values',
    holds: (value) => !Object.hasOwn(value, 'compare') || !asksForNoValues(value),
    schema: { not: { required: ['authority', 'compare'], properties: { authority: NO_VALUES_SCHEMA } } },
  },
  {
    at: '/writePolicy',
    message:
      '`writePolicy: block_on_mismatch` cannot go with `authority: { required: false }`, which requires no values',
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
