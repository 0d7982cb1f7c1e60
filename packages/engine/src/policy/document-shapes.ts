/** The shape of every kind of document in a bundle. */
import {
  amountOfNumber,
  amountOfText,
  CONTROL_CODES,
  DECISIONS,
  GATE_CODES,
  type JsonObject,
  REVIEW_DESK,
} from '@writecheck/contract';
import { CONTROLS } from './control-shapes.ts';
import { COMPARATORS, type PolicyDocument } from './documents.ts';
import { limitShape } from './limit-shapes.ts';
import {
  AUTHORITY,
  CONFIRMED_OR_BLOCKED,
  DIFFERENT,
  NO_VALUES_TO_COMPARE,
  OBSERVE_UNTIL,
  OBSERVE_UNTIL_NEEDS_OBSERVE,
  PATTERN,
  PERMIT_NEEDS_NOTHING,
  REQUIRE,
  REQUIRED_MAX,
  WRITE_POLICY,
} from './profile-shapes.ts';
import { JWK_LIST } from './public-jwk.ts';
import type { EitherShape, ObjectShape, Shape, TextShape, WordShape } from './shape.ts';
import { CONTROL_ID, dateTime, name } from './text-shapes.ts';

export const CONDITION_LENGTH_MAX = 2_000;
export const CONDITION_TOO_LONG_FIX = 'split it into several profiles';
const AUTHZEN_CONTEXT_MAX = 64;

function kind(word: PolicyDocument['kind']): WordShape {
  return { kind: 'word', words: [word], description: 'The kind of document.' };
}

function match(description: string): ObjectShape {
  return {
    kind: 'object',
    what: 'a match',
    description,
    required: [],
    members: { system: PATTERN, objectType: PATTERN, field: PATTERN, operation: PATTERN },
  };
}

const VERSION = name('a version in quotes', 'Shown in provenance.');

const WHEN: TextShape = {
  kind: 'text',
  what: 'a condition',
  pattern: /^[^\p{Cs}]+$/u,
  maxLength: CONDITION_LENGTH_MAX,
  ifLonger: CONDITION_TOO_LONG_FIX,
  description: 'A condition in the CEL subset over `intent`, `facts` and `now`.',
};

const DRAWN_AMOUNT: EitherShape = {
  kind: 'either',
  what: 'a number, or decimal text',
  options: [
    { kind: 'amount', refuse: (value) => refuseAmount(amountOfNumber(value)) },
    {
      kind: 'text',
      what: 'decimal text such as `480` or `12.50`',
      pattern: /^[0-9]+(?:[.][0-9]+)?$/u,
      maxLength: 64,
      refuse: (value) => refuseAmount(amountOfText(value)),
    },
  ],
};

function refuseAmount(amount: bigint | null): string | null {
  return amount === null ? 'must be at least 0 with at most 15 digits, 6 of them after the point' : null;
}

const REASON_CODES = [
  ...GATE_CODES,
  ...Object.values(CONTROL_CODES).filter((code) => code !== 'CONTROL_SATISFIED'),
];

export const DOCUMENT_SHAPES: { readonly [K in PolicyDocument['kind']]: ObjectShape } = {
  ControlPack: {
    kind: 'object',
    what: 'a ControlPack',
    description: 'Defines what evidence each of its controls requires.',
    required: ['kind', 'id', 'controls'],
    members: {
      kind: kind('ControlPack'),
      id: name('an id', 'Names the pack in profiles and provenance.'),
      version: VERSION,
      controls: CONTROLS,
    },
  },
  Profile: {
    kind: 'object',
    what: 'a Profile',
    description: 'Says what a kind of write requires.',
    required: ['kind', 'id'],
    members: {
      kind: kind('Profile'),
      id: name('an id', 'Names the profile in workflows and provenance.'),
      version: VERSION,
      controlPack: name('the id of a ControlPack', 'Shown in provenance; must be in the bundle.'),
      match: match('Which writes the profile is for; default: all.'),
      absent: {
        kind: 'word',
        words: ['skip'],
        description:
          'For a match on one of `field` and `operation`: skips an intent that has only the other.',
      },
      permit: {
        kind: 'flag',
        onlyTrue: true,
        description: 'These writes need nothing of their own; what else applies still counts.',
      },
      when: WHEN,
      require: REQUIRE,
      authority: AUTHORITY,
      different: DIFFERENT,
      requester: {
        kind: 'word',
        words: ['required'],
        description: 'A review of the write must say on whose behalf it is asked.',
      },
      compare: {
        kind: 'word',
        words: COMPARATORS,
        description: 'When differing values count as equal; default: never.',
      },
      writePolicy: WRITE_POLICY,
      observeUntil: OBSERVE_UNTIL,
    },
    rules: [
      OBSERVE_UNTIL_NEEDS_OBSERVE,
      ...PERMIT_NEEDS_NOTHING,
      ...NO_VALUES_TO_COMPARE,
      CONFIRMED_OR_BLOCKED,
    ],
  },
  Workflow: {
    kind: 'object',
    what: 'a Workflow',
    description: 'Registers a workflowId and what it requires.',
    required: ['kind', 'id'],
    members: {
      kind: kind('Workflow'),
      id: name('an id', 'The workflowId callers send.'),
      version: VERSION,
      profiles: {
        kind: 'list',
        what: 'a list of profile ids',
        of: name('the id of a Profile', ''),
        min: 0,
        max: REQUIRED_MAX,
        description: 'These apply regardless of their match and when.',
      },
      require: REQUIRE,
      writePolicy: WRITE_POLICY,
      observeUntil: OBSERVE_UNTIL,
    },
    rules: [OBSERVE_UNTIL_NEEDS_OBSERVE],
  },
  Limit: limitShape({
    kind: kind('Limit'),
    version: VERSION,
    match: match('Which writes the limit counts; default: all.'),
    when: WHEN,
  }),
  Defaults: {
    kind: 'object',
    what: 'a Defaults document',
    description: 'What applies if no profile and no workflow does; one per bundle.',
    required: ['kind'],
    members: {
      kind: kind('Defaults'),
      writePolicy: WRITE_POLICY,
      observeUntil: OBSERVE_UNTIL,
      unmatched: {
        kind: 'either',
        what: '`pause` or an object such as `{ pause: { system: erp } }`',
        description: 'An intent that no enforced profile or workflow applies to pauses.',
        options: [
          { kind: 'word', words: ['pause'] },
          {
            kind: 'object',
            what: 'an `unmatched` with a scope',
            required: ['pause'],
            members: { pause: match('Only these pause; a member the intent omits counts as matching.') },
          },
        ],
      },
      authzenContext: {
        kind: 'list',
        what: 'a list of member names',
        of: name('the name of a member', ''),
        min: 0,
        max: AUTHZEN_CONTEXT_MAX,
        description: "Members of an AuthZEN request's `context` that conditions may read; default: none.",
      },
    },
    rules: [OBSERVE_UNTIL_NEEDS_OBSERVE],
  },
  EvidenceSource: {
    kind: 'object',
    what: 'an EvidenceSource',
    description: 'Who may sign attestations as this source.',
    required: ['kind', 'id', 'keys'],
    members: {
      kind: kind('EvidenceSource'),
      id: name('an id', 'The source evidence items name.'),
      keys: {
        kind: 'object',
        what: 'a JWK Set',
        description: 'A JWK Set of public keys.',
        required: ['keys'],
        members: { keys: JWK_LIST },
      },
    },
    rules: [
      {
        at: '/id',
        message: `\`${REVIEW_DESK}\` is the built-in source of reviews; give this source another id`,
        holds: ({ id }) => id !== REVIEW_DESK,
        schema: { not: { required: ['id'], properties: { id: { const: REVIEW_DESK } } } },
      },
    ],
  },
  PolicyTest: {
    kind: 'object',
    what: 'a PolicyTest',
    description: 'An intent and the decision this bundle must reach for it.',
    required: ['kind', 'id', 'intent', 'now', 'expect'],
    members: {
      kind: kind('PolicyTest'),
      id: name('an id', 'Names the test in reports.'),
      intent: {
        kind: 'open',
        what: 'a write intent',
        description: 'A write intent or action request as a caller would send it.',
      },
      now: dateTime('The moment of the decision.'),
      drawn: {
        kind: 'table',
        what: 'an object of amounts by limit id',
        names: name('the id of a Limit', ''),
        of: DRAWN_AMOUNT,
        description: "What is drawn of each limit in this intent's group; default: 0.",
      },
      expect: {
        kind: 'object',
        what: 'an expectation',
        required: ['decision'],
        members: {
          decision: { kind: 'word', words: DECISIONS },
          reason_code: { kind: 'word', words: REASON_CODES },
          codes: {
            kind: 'table',
            what: 'an object of codes by control id',
            names: CONTROL_ID,
            of: { kind: 'word', words: Object.values(CONTROL_CODES) },
          },
        },
      },
    },
  },
};

export const DOCUMENT_KINDS = Object.keys(DOCUMENT_SHAPES) as readonly PolicyDocument['kind'][];

/** The shape for the kind that a document claims; null if no such kind exists. */
export function shapeOf(document: JsonObject): Shape | null {
  const claimed = Object.hasOwn(document, 'kind') ? document.kind : null;
  return DOCUMENT_KINDS.includes(claimed as PolicyDocument['kind'])
    ? DOCUMENT_SHAPES[claimed as PolicyDocument['kind']]
    : null;
}
