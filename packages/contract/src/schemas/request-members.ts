/** The members of a request as JSON Schema: the same rules as the parser's, as far as a schema can say them. */
import {
  ATTESTATION_BYTES_MAX,
  ATTESTED_ITEMS_MAX,
  EVIDENCE_ITEMS_MAX,
  EVIDENCE_REF_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  REQUIRED_CONTROLS_MAX,
  RESULT_CHARACTERS_MAX,
  TEXT_BYTES_MAX,
} from '../limits.ts';
import { OPTIONAL_ITEM_MEMBERS, REQUIRED_ITEM_MEMBERS } from '../parse-evidence.ts';
import { INTENT_MEMBERS } from '../parse-intent.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
const SPACE = ' \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const NAME_PATTERN = `^[^${CONTROL}${SPACE}](?:[^${CONTROL}]*[^${CONTROL}${SPACE}])?$`;
const CONTROL_ID_PATTERN = '^[!-~](?:[ -~]*[!-~])?$';

const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const DAY =
  '(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)' +
  `|02-(?:0[1-9]|1[0-9]|2[0-8]))|${LEAP_YEAR}-02-29)`;
const HOUR_AND_MINUTE = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
const DATE_TIME_PATTERN = `^${DAY}[Tt]${HOUR_AND_MINUTE}:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-]${HOUR_AND_MINUTE})?$`;

function nameOf(description: string): JsonSchema {
  return {
    type: 'string',
    minLength: 1,
    maxLength: NAME_CHARACTERS_MAX,
    pattern: NAME_PATTERN,
    description,
  };
}

function textOf(description: string): JsonSchema {
  const limit = `up to ${TEXT_BYTES_MAX} bytes of UTF-8`;
  return { type: 'string', maxLength: TEXT_BYTES_MAX, description: `${description}, ${limit}` };
}

function dateTimeOf(description: string): JsonSchema {
  return { type: 'string', pattern: DATE_TIME_PATTERN, description };
}

const CONTROL_ID: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: NAME_CHARACTERS_MAX,
  pattern: CONTROL_ID_PATTERN,
  description: 'a control, in ASCII',
};

/** Null in an optional member counts as left out. */
export function optional(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type, 'null'] };
}

/** Refuses names that are equal to a known one after dropping case, `_` and `-`, but are not that name. */
export function noMisspelling(knownNames: readonly string[]): JsonSchema {
  const spellings = knownNames.map((name) => {
    const letters = [...name].map((letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}][_-]*`);
    return `(?!${name}$)[_-]*${letters.join('')}`;
  });
  return { not: { pattern: `^(?:${spellings.join('|')})$` } };
}

const EVIDENCE_ITEM: JsonSchema = {
  type: 'object',
  description: 'current evidence for one control',
  required: REQUIRED_ITEM_MEMBERS,
  propertyNames: noMisspelling([...REQUIRED_ITEM_MEMBERS, ...OPTIONAL_ITEM_MEMBERS]),
  properties: {
    controlId: CONTROL_ID,
    source: nameOf('the system that produced the evidence'),
    result: {
      type: 'string',
      maxLength: RESULT_CHARACTERS_MAX,
      description: 'the outcome: PASS, FAIL or REVOKED; anything else keeps the control from being satisfied',
      examples: ['PASS'],
    },
    checkedAt: optional(
      dateTimeOf('when the check was made (RFC 3339); without an offset the age counts as unknown'),
    ),
    expiresAt: optional(
      dateTimeOf('until when the evidence is good (RFC 3339); without an offset it counts as past'),
    ),
    evidenceRef: optional({
      type: 'string',
      maxLength: EVIDENCE_REF_CHARACTERS_MAX,
      description: 'where the evidence can be looked up',
    }),
    attestation: optional({
      type: 'string',
      maxLength: ATTESTATION_BYTES_MAX,
      description: 'a compact JWS of the source that says the same as the item',
    }),
  },
};

export const REQUEST_MEMBERS = {
  system: nameOf('the target system of record'),
  objectType: nameOf('the type of the object to be written'),
  objectRef: textOf('the identifier of the object'),
  field: nameOf('the field to be written'),
  agentValue: textOf('the value the agent proposes to write'),
  authorityValue: textOf('the value the authoritative source holds'),
  authoritySource: nameOf('the authoritative source'),
  authorityFound: { type: 'boolean', description: 'whether authority was found' },
  operation: nameOf('the operation in dotted form, such as vendor.update'),
  workflowId: nameOf('a registered workflow, whose controls the service resolves'),
  runId: nameOf('the identifier of one run; not part of the digest'),
  requiredControls: {
    type: 'array',
    maxItems: REQUIRED_CONTROLS_MAX,
    items: CONTROL_ID,
    description: 'controls that must be satisfied, on top of what policy asks for',
  },
  controlEvidence: {
    type: 'array',
    maxItems: EVIDENCE_ITEMS_MAX,
    items: EVIDENCE_ITEM,
    contains: { type: 'object', required: ['attestation'], properties: { attestation: { type: 'string' } } },
    minContains: 0,
    maxContains: ATTESTED_ITEMS_MAX,
    description: `current evidence, at most ${ATTESTED_ITEMS_MAX} items of it attested`,
  },
  metadata: {
    type: 'object',
    description: 'free-form, up to 16384 bytes as sent; part of the digest',
    properties: {
      agent: { type: ['string', 'null'], description: 'the name of the agent' },
      context: { type: ['object', 'null'], description: 'what conditions may read' },
    },
  },
} as const satisfies { readonly [member: string]: JsonSchema };

/** The members of a shape: those it must have as they are, all others may be null. */
export function membersWith(required: readonly string[]): JsonSchema {
  const members = Object.entries(REQUEST_MEMBERS).map(([name, schema]): [string, JsonSchema] => {
    return [name, required.includes(name) ? schema : optional(schema)];
  });
  return Object.fromEntries(members);
}

export const NO_MISSPELT_MEMBER = noMisspelling(INTENT_MEMBERS);
