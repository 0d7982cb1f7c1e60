/** JSON Schemas of every kind of policy document, so that editors complete and check them. */
import { DOCUMENT_KINDS, DOCUMENT_SHAPES } from './document-shapes.ts';
import type { PolicyDocument } from './documents.ts';
import type { JsonSchema, Shape } from './shape.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

export const POLICY_SCHEMAS: { readonly [K in PolicyDocument['kind']]: JsonSchema } = {
  ControlPack: published('ControlPack'),
  Profile: published('Profile'),
  Workflow: published('Workflow'),
  Limit: published('Limit'),
  Defaults: published('Defaults'),
  EvidenceSource: published('EvidenceSource'),
  PolicyTest: published('PolicyTest'),
};

/** Describes a file with documents of any kind. */
export const POLICY_DOCUMENT_SCHEMA: JsonSchema = {
  $schema: DIALECT,
  title: 'Policy document',
  type: 'object',
  required: ['kind'],
  properties: { kind: { enum: DOCUMENT_KINDS } },
  allOf: DOCUMENT_KINDS.map((kind) => ({
    if: { properties: { kind: { const: kind } } },
    // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
    then: schemaOf(DOCUMENT_SHAPES[kind]),
  })),
};

function published(kind: PolicyDocument['kind']): JsonSchema {
  return { $schema: DIALECT, title: kind, ...schemaOf(DOCUMENT_SHAPES[kind]) };
}

function schemaOf(shape: Shape): JsonSchema {
  const description = shape.description ? { description: shape.description } : {};
  switch (shape.kind) {
    case 'text':
      return { ...description, type: 'string', pattern: shape.pattern.source, maxLength: shape.maxLength };
    case 'word':
      return { ...description, enum: shape.words };
    case 'count':
      return { ...description, type: 'integer', minimum: shape.min, maximum: shape.max };
    case 'amount':
      return { ...description, type: 'number', minimum: 0 };
    case 'flag':
      return shape.onlyTrue === true ? { ...description, const: true } : { ...description, type: 'boolean' };
    case 'list':
      return {
        ...description,
        type: 'array',
        items: schemaOf(shape.of),
        minItems: shape.min,
        maxItems: shape.max,
      };
    case 'table':
      return {
        ...description,
        type: 'object',
        propertyNames: { pattern: shape.names.pattern.source, maxLength: shape.names.maxLength },
        additionalProperties: schemaOf(shape.of),
      };
    case 'object': {
      const members = Object.entries(shape.members).map(([name, member]) => [name, schemaOf(member)]);
      const rules = (shape.rules ?? []).map((rule) => rule.schema);
      return {
        ...description,
        type: 'object',
        required: shape.required,
        properties: Object.fromEntries(members),
        additionalProperties: false,
        ...(rules.length > 0 && { allOf: rules }),
      };
    }
    case 'either':
      return { ...description, anyOf: shape.options.map(schemaOf) };
    case 'open':
      return { ...description, type: 'object' };
  }
}
