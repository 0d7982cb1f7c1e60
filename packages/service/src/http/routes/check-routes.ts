/** The check itself, on both of its paths, and in batches. */

import { BATCH_BODY_BYTES_MAX, BATCH_CHECKS_MAX, BODY_BYTES_MAX } from '@writecheck/contract';
import { checkWrite } from '../../check-write/check-write.ts';
import type { CheckCall, CheckingKey } from '../../check-write/parse-request.ts';
import type { KeyActor } from '../../people/actor.ts';
import type { KeyedCall, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';

const JSON_ONLY = ['application/json'];
const CHECK_ERRORS = [
  'rate_limited',
  'unsupported_media_type',
  'body_too_large',
  'malformed_json',
  'invalid_request',
  'request_in_flight',
  'idempotency_key_expired',
  'idempotency_key_reused',
  'overloaded',
  'store_unavailable',
  'clock_behind',
  'clock_ahead',
] as const;

export function checkRoutes({ check, ratePerKey }: ServiceParts): readonly Route[] {
  const single = (path: string, operationId: string): Route => ({
    method: 'POST',
    path,
    access: 'checking',
    isCheck: true,
    body: {
      mediaTypes: JSON_ONLY,
      limitBytes: BODY_BYTES_MAX,
      schema: {
        anyOf: [{ $ref: '#/components/schemas/WriteIntent' }, { $ref: '#/components/schemas/ActionRequest' }],
      },
    },
    described: {
      operationId,
      summary: 'check whether a write is allowed',
      success: {
        200: { description: 'allow, pause or block', schema: { $ref: '#/components/schemas/Decision' } },
      },
      errors: [
        ...CHECK_ERRORS,
        'unsupported_schema_version',
        'unknown_member',
        'invalid_intent',
        'quota_exceeded',
      ],
    },
    handle: (call) => checkWrite(check, checkCall('check', call)),
  });
  return [
    single('/v1/check-write', 'checkWrite'),
    single('/api/v1/check-write', 'checkWriteOnOlderPath'),
    {
      method: 'POST',
      path: '/v1/check-write/batch',
      access: 'checking',
      isCheck: true,
      body: {
        mediaTypes: JSON_ONLY,
        limitBytes: BATCH_BODY_BYTES_MAX,
        schema: {
          type: 'object',
          properties: { checks: { type: 'array', minItems: 1, maxItems: BATCH_CHECKS_MAX, items: {} } },
          required: ['checks'],
        },
      },
      described: {
        operationId: 'checkWrites',
        summary: 'check several writes; each is charged and recorded separately',
        success: {
          200: {
            description: 'a decision or an error envelope for each, in order',
            schema: {
              type: 'object',
              properties: {
                results: {
                  type: 'array',
                  items: {
                    anyOf: [
                      { $ref: '#/components/schemas/Decision' },
                      { $ref: '#/components/schemas/Problem' },
                    ],
                  },
                },
              },
              required: ['results'],
            },
          },
        },
        errors: [...CHECK_ERRORS, 'unknown_member'],
      },
      handle: (call) =>
        checkWrite(check, {
          ...checkCall('batch', call),
          // The gate counted one check before the body was read; this counts the others.
          onSized: (checks) => ratePerKey?.charge(call.actor.id, checks - 1, call.context.nowMs),
        }),
    },
  ];
}

function checkCall(kind: CheckCall['kind'], { context, request, actor, body }: KeyedCall): CheckCall {
  return {
    kind,
    // INVARIANT: these routes are open to checking keys only; the gate before them ensures it.
    key: (actor as KeyActor).key as CheckingKey,
    body,
    context,
    idempotencyHeader: request.header('idempotency-key'),
    // Several of these headers arrive as one, joined by commas.
    preferHeader: request.header('prefer'),
  };
}
