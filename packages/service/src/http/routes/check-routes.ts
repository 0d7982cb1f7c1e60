/** The check itself, on both of its paths, and several at a time. */
import { BATCH_BODY_BYTES_MAX, BATCH_CHECKS_MAX, BODY_BYTES_MAX } from '@writecheck/contract';
import { checkBatch } from '../../check-write/check-batch.ts';
import { type CheckCall, checkWrite } from '../../check-write/check-write.ts';
import type { CheckingKeyKind, StoredKey } from '../../store/port.ts';
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
      summary: 'ask whether a write may be made',
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
    handle: (call) => checkWrite(check, checkCall(call)),
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
        summary: 'ask about several writes; each is charged and recorded on its own',
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
        checkBatch(check, {
          ...checkCall(call),
          // The gate has counted one before the body was read; the others count from here on.
          onSized: (checks) => ratePerKey?.charge(call.key.id, checks - 1, call.context.nowMs),
        }),
    },
  ];
}

function checkCall({ context, headers, key, body }: KeyedCall): CheckCall {
  const idempotencyHeader = headers['idempotency-key'];
  return {
    // INVARIANT: these routes are open to checking keys alone, which the gate before them has seen to.
    key: key as StoredKey & { readonly kind: CheckingKeyKind },
    body,
    requestId: context.requestId,
    traceId: context.traceId,
    clockMs: context.nowMs,
    idempotencyHeader:
      typeof idempotencyHeader === 'string' ? idempotencyHeader : idempotencyHeader?.join(', '),
    // Several of these arrive as one, joined by commas.
    preferHeader: headers.prefer as string | undefined,
  };
}
