/** What the service publishes about itself: its schemas and its OpenAPI document. */
import { PUBLISHED } from '@writecheck/api';
import {
  actionRequestSchema,
  decisionSchema,
  type JsonSchema,
  writeIntentSchema,
} from '@writecheck/contract';
import { POLICY_DOCUMENT_SCHEMA } from '@writecheck/engine';
import type { Answer } from '../exchange/answer.ts';
import { implement, type Open } from '../exchange/implement.ts';
import type { Route } from '../exchange/route.ts';

const CACHE = 'public, max-age=300';

export function publishedRoutes(openApi: () => object): readonly Route[] {
  let openApiText: string | null = null;
  return [
    schemaRoute(PUBLISHED.writeIntentSchema, writeIntentSchema),
    schemaRoute(PUBLISHED.actionRequestSchema, actionRequestSchema),
    schemaRoute(PUBLISHED.decisionSchema, decisionSchema),
    schemaRoute(PUBLISHED.policyDocumentSchema, POLICY_DOCUMENT_SCHEMA),
    implement(PUBLISHED.openApi, () => {
      openApiText ??= JSON.stringify(openApi());
      return published('application/json', openApiText);
    }),
  ];
}

function schemaRoute(operation: Open, schema: JsonSchema): Route {
  const text = JSON.stringify(schema);
  return implement(operation, () => published('application/schema+json', text));
}

function published(mediaType: string, body: string): Answer {
  return { status: 200, headers: { 'content-type': mediaType, 'cache-control': CACHE }, body };
}
