/** The OpenAPI 3.1 document, made from the routes and the schemas the contract publishes. */
import { DELIVERY, FREEZE, PERSON, PROBLEM, REVIEW, WEBHOOK } from '@writecheck/api';
import {
  actionRequestSchema,
  decisionSchema,
  ERROR_CATALOGUE,
  type ErrorCode,
  type JsonSchema,
  PROBLEM_MEDIA_TYPE,
  writeIntentSchema,
} from '@writecheck/contract';
import type { Route } from '../exchange/route.ts';

const KEY_ERRORS: readonly ErrorCode[] = [
  'missing_key',
  'invalid_key',
  'key_revoked',
  'key_expired',
  'insufficient_scope',
  'workspace_suspended',
];

export function openApiDocument(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Writecheck',
      version: '1',
      summary: 'decides whether an agent may write: allow, pause or block',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'a key of the workspace, or the token of a session',
        },
      },
      schemas: {
        WriteIntent: embedded(writeIntentSchema),
        ActionRequest: embedded(actionRequestSchema),
        Decision: embedded(decisionSchema),
        Review: REVIEW.definition,
        Person: PERSON.definition,
        Webhook: WEBHOOK.definition,
        Delivery: DELIVERY.definition,
        Freeze: FREEZE.definition,
        Problem: PROBLEM.schema,
      },
    },
  };
}

function operation(route: Route): object {
  const { operationId, summary, query, body, isRepeatable, frequent } = route.operation;
  const isCheck = frequent === 'check';
  const parameters = [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    // OpenAPI puts a parameter's description beside its schema.
    ...Object.entries(query?.members ?? {}).map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      description,
      schema,
    })),
    ...(isCheck || isRepeatable ? [IDEMPOTENCY_KEY] : []),
    ...(isCheck ? [REDEEM] : []),
  ];
  return {
    operationId,
    summary,
    security: route.access === 'open' ? [] : [{ key: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: !route.body.isOptional,
            content: Object.fromEntries(
              route.body.mediaTypes.map((type) => [
                type,
                { schema: type === 'application/json' ? body!.schema : { type: 'string' } },
              ]),
            ),
          },
        }),
    responses: { ...successes(route), ...errors(route) },
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'the same key and body return the same response again, for a check within a day',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const REDEEM = {
  name: 'Redeem',
  in: 'header',
  description:
    'takes an allow of a single check in the commit that records it; the response has `redemption` with this claim. Only with an `Idempotency-Key`',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function successes({ operation }: Route): object {
  return Object.fromEntries(
    Object.entries(operation.answers).map(([status, [description, shape, type = 'application/json']]) => [
      status,
      shape === null ? { description } : { description, content: { [type]: { schema: shape.schema } } },
    ]),
  );
}

function isStoring({ access, method, operation }: Route): boolean {
  return access !== 'open' && method !== 'GET' && operation.frequent === undefined;
}

function errors(route: Route): object {
  const codes = new Set<ErrorCode>([
    ...(route.access === 'open' ? [] : KEY_ERRORS),
    // A workspace that signed itself up stores so much a day.
    ...(isStoring(route) ? (['quota_exceeded'] as const) : []),
    ...route.operation.errors,
    'internal_error',
    'store_unavailable',
  ]);
  const byStatus: Record<string, ErrorCode[]> = {};
  for (const code of codes) {
    const status = route.form?.statusOf(code) ?? ERROR_CATALOGUE[code].status;
    byStatus[status] ??= [];
    byStatus[status]!.push(code);
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].title}`).join('; '),
        content: route.form
          ? { 'text/plain': { schema: { type: 'string' } } }
          : { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

/** A schema's own name and dialect are replaced by those of the document that contains it. */
function embedded({ $schema: _dialect, $id: _name, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
