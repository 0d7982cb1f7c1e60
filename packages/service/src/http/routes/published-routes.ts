/** What the service publishes about itself: its schemas and its OpenAPI document. */
import {
  actionRequestSchema,
  decisionSchema,
  type JsonSchema,
  writeIntentSchema,
} from '@writecheck/contract';
import { POLICY_DOCUMENT_SCHEMA } from '@writecheck/engine';
import type { Answer } from '../../answer.ts';
import type { Route } from '../route.ts';

const SCHEMA_MEDIA_TYPE = 'application/schema+json';
const CACHE = 'public, max-age=300';

export function publishedRoutes(openApi: () => object): readonly Route[] {
  let openApiText: string | null = null;
  return [
    schemaRoute('write-intent', 'writeIntentSchema', writeIntentSchema),
    schemaRoute('action-request', 'actionRequestSchema', actionRequestSchema),
    schemaRoute('decision', 'decisionSchema', decisionSchema),
    schemaRoute('policy-document', 'policyDocumentSchema', POLICY_DOCUMENT_SCHEMA),
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'open',
      described: {
        operationId: 'openApi',
        summary: 'this document',
        success: { 200: { description: 'OpenAPI 3.1', schema: { type: 'object' } } },
        errors: [],
      },
      handle: () => {
        openApiText ??= JSON.stringify(openApi());
        return published('application/json', openApiText);
      },
    },
  ];
}

function schemaRoute(name: string, operationId: string, schema: JsonSchema): Route {
  const text = JSON.stringify(schema);
  return {
    method: 'GET',
    path: `/v1/schemas/${name}.v1.json`,
    access: 'open',
    described: {
      operationId,
      summary: `JSON Schema 2020-12 of the ${name.replace('-', ' ')}`,
      success: {
        200: { description: 'the schema', mediaType: SCHEMA_MEDIA_TYPE, schema: { type: 'object' } },
      },
      errors: [],
    },
    handle: () => published(SCHEMA_MEDIA_TYPE, text),
  };
}

function published(mediaType: string, body: string): Answer {
  return { status: 200, headers: { 'content-type': mediaType, 'cache-control': CACHE }, body };
}
