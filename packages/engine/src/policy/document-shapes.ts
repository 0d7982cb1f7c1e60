/** The shape of every kind of document a bundle may hold. */
import {
  ASSURANCES,
  CONTROL_CODES,
  DECISIONS,
  GATE_CODES,
  type JsonObject,
  WRITE_POLICIES,
} from '@writecheck/contract';
import { COMPARATORS, type PolicyDocument } from './documents.ts';
import { JWK_LIST } from './public-jwk.ts';
import type { EitherShape, ListShape, ObjectShape, Rule, Shape, TableShape, WordShape } from './shape.ts';
import { CONTROL_ID, DURATION, dateTime, name, plainText } from './text-shapes.ts';

const MAX_REQUIRED = 256;
const MAX_PATTERNS = 1_024;
export const MAX_CONDITION_LENGTH = 2_000;

function kind(word: PolicyDocument['kind']): WordShape {
  return { kind: 'word', words: [word], description: 'The kind of document.' };
}

function sources(description: string): ListShape {
  return {
    kind: 'list',
    what: 'a list of source names',
    of: name('a source name', ''),
    min: 1,
    max: MAX_REQUIRED,
    description,
  };
}

const VERSION = name('a version in quotes', 'Shown in provenance.');

const WRITE_POLICY: WordShape = {
  kind: 'word',
  words: WRITE_POLICIES,
  description:
    'observe records without enforcing; enforce is the default; block_on_mismatch also blocks differing values.',
};

const OBSERVE_UNTIL = dateTime('From this moment on an observing document enforces.');

const OBSERVE_UNTIL_NEEDS_OBSERVE: Rule = {
  at: '/observeUntil',
  message: '`observeUntil` needs `writePolicy: observe`',
  holds: (value) => !Object.hasOwn(value, 'observeUntil') || value.writePolicy === 'observe',
  schema: {
    dependentSchemas: {
      observeUntil: { required: ['writePolicy'], properties: { writePolicy: { const: 'observe' } } },
    },
  },
};

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
    sources: sources('Who may have produced the evidence; anybody where left out.'),
    assurance: { kind: 'word', words: ASSURANCES, description: 'attested asks for a signed item.' },
    use: { kind: 'word', words: ['once'], description: 'An attestation serves for one allow.' },
    bind: {
      kind: 'word',
      words: ['object'],
      description: 'An attestation may be bound to the object instead of the whole intent.',
    },
    onUnmet: {
      ...EFFECT,
      description: 'The effect of evidence that is missing or not good; pause by default.',
    },
    onFailed: { ...EFFECT, description: 'The effect of a FAIL; block by default.' },
  },
  rules: [
    needsAttested('use'),
    needsAttested('bind'),
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

const CONTROLS: TableShape = {
  kind: 'table',
  what: 'an object of controls by id',
  names: CONTROL_ID,
  of: CONTROL,
  description: 'Each control id is defined by at most one pack of a bundle.',
};

const PATTERN_TEXT = name('a pattern', 'Exact, or a glob with *; ASCII letters are caseless.');

const PATTERN: EitherShape = {
  kind: 'either',
  what: 'a pattern or a list of patterns',
  description: 'Exact, a glob with *, or a list of these.',
  options: [
    PATTERN_TEXT,
    { kind: 'list', what: 'a list of patterns', of: PATTERN_TEXT, min: 1, max: MAX_PATTERNS },
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
    runRef: plainText('The run of it.'),
    promotedAt: plainText('When it was promoted.'),
    promotedBy: plainText('Who promoted it.'),
    status: plainText('The state of the promotion.'),
  },
};

const REQUIRE: ListShape = {
  kind: 'list',
  what: 'a list of controls',
  description: 'Controls that must be satisfied.',
  min: 0,
  max: MAX_REQUIRED,
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

const AUTHORITY: EitherShape = {
  kind: 'either',
  what: '`required` or an object with `required`, `sources`, `attestedBy`',
  description: 'Whether the authoritative value must be supplied, and by whom.',
  options: [
    { kind: 'word', words: ['required'] },
    {
      kind: 'object',
      what: 'an authority requirement',
      required: [],
      members: {
        required: { kind: 'flag', description: 'True where left out.' },
        sources: sources('Accepted authority sources; any where left out.'),
        attestedBy: CONTROL_ID,
      },
    },
  ],
};

const REASON_CODES = [
  ...GATE_CODES,
  ...Object.values(CONTROL_CODES).filter((code) => code !== 'CONTROL_SATISFIED'),
];

export const DOCUMENT_SHAPES: { readonly [K in PolicyDocument['kind']]: ObjectShape } = {
  ControlPack: {
    kind: 'object',
    what: 'a ControlPack',
    description: 'Defines what evidence each of its controls asks for.',
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
      match: {
        kind: 'object',
        what: 'a match',
        description: 'Which writes the profile is for; all where left out.',
        required: [],
        members: { system: PATTERN, objectType: PATTERN, field: PATTERN, operation: PATTERN },
      },
      absent: {
        kind: 'word',
        words: ['skip'],
        description: 'An intent without a matched member is passed over.',
      },
      when: {
        kind: 'text',
        what: 'a condition',
        pattern: /^[^\p{Cs}]+$/u,
        maxLength: MAX_CONDITION_LENGTH,
        description: 'A condition in the CEL subset over `intent` and `now`.',
      },
      require: REQUIRE,
      authority: AUTHORITY,
      compare: {
        kind: 'word',
        words: COMPARATORS,
        description: 'When differing values count as equal; never where left out.',
      },
      writePolicy: WRITE_POLICY,
      observeUntil: OBSERVE_UNTIL,
    },
    rules: [OBSERVE_UNTIL_NEEDS_OBSERVE],
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
        max: MAX_REQUIRED,
        description: 'These apply whatever their match and when say.',
      },
      require: REQUIRE,
      writePolicy: WRITE_POLICY,
      observeUntil: OBSERVE_UNTIL,
    },
    rules: [OBSERVE_UNTIL_NEEDS_OBSERVE],
  },
  Defaults: {
    kind: 'object',
    what: 'a Defaults document',
    description: 'What holds where no profile and no workflow applies; one per bundle.',
    required: ['kind'],
    members: {
      kind: kind('Defaults'),
      writePolicy: WRITE_POLICY,
      observeUntil: OBSERVE_UNTIL,
      unmatched: { kind: 'word', words: ['pause'], description: 'An intent nothing applies to pauses.' },
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

/** The shape for the kind a document claims, or null where it claims none that exists. */
export function shapeOf(document: JsonObject): Shape | null {
  const claimed = Object.hasOwn(document, 'kind') ? document.kind : null;
  return DOCUMENT_KINDS.includes(claimed as PolicyDocument['kind'])
    ? DOCUMENT_SHAPES[claimed as PolicyDocument['kind']]
    : null;
}
