/** Operations that publish the service's schemas and its OpenAPI document. */
import { type Operation, operations } from './operation.ts';
import { anyObject, list, object, type Shape, shape, text } from './shape.ts';

/** The part that a form needs. */
const SCHEMA = object({
  required: list(text),
  properties: shape<{
    readonly [name: string]: { readonly type?: string | readonly string[]; readonly description?: string };
  }>({ type: 'object' }),
});

function schemaOf<const Name extends string, T>(name: Name, schema: Shape<T>) {
  return {
    route: `GET /v1/schemas/${name}.v1.json`,
    access: 'open',
    summary: `JSON Schema 2020-12 of the ${name.replace('-', ' ')}`,
    answers: { 200: ['the schema', schema, 'application/schema+json'] },
    errors: [],
  } as const satisfies Operation;
}

export const PUBLISHED = operations({
  writeIntentSchema: schemaOf('write-intent', SCHEMA),
  actionRequestSchema: schemaOf('action-request', SCHEMA),
  decisionSchema: schemaOf('decision', SCHEMA),
  policyDocumentSchema: schemaOf('policy-document', anyObject),
  openApi: {
    route: 'GET /openapi.json',
    access: 'open',
    summary: 'this document',
    answers: { 200: ['OpenAPI 3.1', anyObject, 'application/json'] },
    errors: [],
  },
});
