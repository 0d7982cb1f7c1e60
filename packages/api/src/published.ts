/** What the service publishes about itself: its schemas and its OpenAPI document. */
import { type Operation, operations } from './operation.ts';
import { anyObject, shape } from './shape.ts';

/** As far as a form needs it. */
const SCHEMA = shape<{
  readonly required: readonly string[];
  readonly properties: {
    readonly [name: string]: { readonly type?: string | readonly string[]; readonly description?: string };
  };
}>({ type: 'object' });

function schemaOf<const Name extends string>(name: Name) {
  return {
    route: `GET /v1/schemas/${name}.v1.json`,
    access: 'open',
    summary: `JSON Schema 2020-12 of the ${name.replace('-', ' ')}`,
    answers: { 200: ['the schema', SCHEMA, 'application/schema+json'] },
    errors: [],
  } as const satisfies Operation;
}

export const PUBLISHED = operations({
  writeIntentSchema: schemaOf('write-intent'),
  actionRequestSchema: schemaOf('action-request'),
  decisionSchema: schemaOf('decision'),
  policyDocumentSchema: schemaOf('policy-document'),
  openApi: {
    route: 'GET /openapi.json',
    access: 'open',
    summary: 'this document',
    answers: { 200: ['OpenAPI 3.1', anyObject, 'application/json'] },
    errors: [],
  },
});
