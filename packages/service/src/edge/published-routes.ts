/** Publishes the service's schemas and its OpenAPI document. */
import { PUBLISHED } from '@writecheck/api';
import {
  actionRequestSchema,
  decisionSchema,
  type JsonSchema,
  writeIntentSchema,
} from '@writecheck/contract';
import { POLICY_DOCUMENT_SCHEMA } from '@writecheck/engine';
import { answerText, implement, type Open } from '../exchange/implement.ts';
import type { Route } from '../exchange/route.ts';

const KEPT_A_WHILE = { 'cache-control': 'public, max-age=300' };

export function publishedRoutes(openApi: () => object): readonly Route[] {
  let openApiText: string | null = null;
  return [
    schemaRoute(PUBLISHED.writeIntentSchema, writeIntentSchema),
    schemaRoute(PUBLISHED.actionRequestSchema, actionRequestSchema),
    schemaRoute(PUBLISHED.decisionSchema, decisionSchema),
    schemaRoute(PUBLISHED.policyDocumentSchema, POLICY_DOCUMENT_SCHEMA),
    implement(PUBLISHED.openApi, () => {
      openApiText ??= JSON.stringify(openApi());
      return answerText(PUBLISHED.openApi, 200, openApiText, KEPT_A_WHILE);
    }),
  ];
}

function schemaRoute(operation: Open, schema: JsonSchema): Route {
  const text = JSON.stringify(schema);
  return implement(operation, () => answerText(operation, 200, text, KEPT_A_WHILE));
}
