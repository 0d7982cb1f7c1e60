/** A decision's receipt, and its redemption by the write. */

import { BODY_ERRORS, bodyOf, type Field } from '@writecheck/api';
import { RECEIPT_VERSION, readRecord } from '@writecheck/ledger';
import { json } from '../../answer.ts';
import { redeemDecision } from '../../audit/redeem.ts';
import { GROUP_COMMIT_LIMITS } from '../../check-write/group-commit.ts';
import { idempotencyKey } from '../../check-write/idempotency.ts';
import type { KeyActor } from '../../people/actor.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { clockRefusal, isRefusal, type Refusal, refuse } from '../../refusal.ts';
import { type CheckingKeyKind, type StoredKey, StoreUnavailable } from '../../store/port.ts';
import { readJson } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { maySee } from './decision-routes.ts';
import { momentSchema, SMALL_JSON, textSchema } from './shared-schemas.ts';

const digest: Field<string> = {
  schema: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
  isRequired: true,
  read: (value) =>
    typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)
      ? { value }
      : { fault: 'must be `sha256:` and 64 hex digits, as in the decision' },
};
const SHAPE = bodyOf({ intentDigest: digest });

const NOT_FOUND: Refusal = refuse('not_found', 'there is no such decision in this workspace');

/** As long as a check waits for its commit. A later outcome is unknown here; a retry with the same key gets it. */
function beforeDeadline<T>(working: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = new StoreUnavailable('timeout', 'the redemption was not recorded in time');
    const timer = setTimeout(() => reject(late), GROUP_COMMIT_LIMITS.deadlineMs);
    working.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export function receiptRoutes({ store, audit, check }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/decisions/{id}/receipt',
      access: 'either',
      described: {
        operationId: 'readReceipt',
        summary: 'the proof that a decision is in the log',
        success: {
          200: {
            description: 'the receipt',
            schema: {
              type: 'object',
              properties: {
                version: { const: RECEIPT_VERSION },
                leaf: textSchema,
                index: { type: 'integer' },
                treeSize: { type: 'integer' },
                proof: { type: 'array', items: textSchema },
                checkpoint: textSchema,
              },
              required: ['version', 'leaf', 'index', 'treeSize', 'proof', 'checkpoint'],
            },
          },
        },
        errors: ['not_found'],
      },
      handle: async ({ context, actor, params }) => {
        const found = await store.findDecision(actor.workspace, params.id!);
        if (found === null || !maySee(actor, readRecord(found.record).keyId))
          return problemAnswer(context, NOT_FOUND);
        return json(200, await audit.notary.receiptFor(found));
      },
    },
    {
      method: 'POST',
      path: '/v1/decisions/{id}/redeem',
      access: 'checking',
      body: { ...SMALL_JSON, schema: SHAPE.schema },
      described: {
        operationId: 'redeemDecision',
        summary: 'redeem an allow, once, for the write it allowed',
        isRepeatable: true,
        success: {
          200: {
            description: 'redeemed now, or before under the same `Idempotency-Key`',
            schema: {
              type: 'object',
              properties: { redeemed: { const: true }, redeemedAt: momentSchema },
              required: ['redeemed', 'redeemedAt'],
            },
          },
        },
        errors: [
          'not_found',
          'insufficient_scope',
          ...BODY_ERRORS,
          'not_redeemable',
          'already_redeemed',
          'idempotency_key_reused',
          'store_unavailable',
          'clock_behind',
          'clock_ahead',
        ],
      },
      handle: async ({ context, actor, params, request, body }) => {
        // This comes first, so that another workspace's decision looks the same whatever the body says.
        const found = await store.findDecision(actor.workspace, params.id!);
        if (found === null) return problemAnswer(context, NOT_FOUND);
        const read = readJson(SHAPE, body);
        if (read.kind === 'refused') return problemAnswer(context, read);
        const claimed = idempotencyKey(request.header('idempotency-key'), 'redeem', body);
        if (claimed !== null && isRefusal(claimed)) return problemAnswer(context, claimed);
        const moment = check.clock.at(context.nowMs);
        if (moment.kind !== 'now') return problemAnswer(context, clockRefusal(moment));
        const { nowMs } = moment;
        const redeeming = redeemDecision(store, {
          // INVARIANT: the route is open to checking keys only; the gate before it ensures it.
          key: (actor as KeyActor).key as StoredKey & { readonly kind: CheckingKeyKind },
          found,
          intentDigest: read.value.intentDigest,
          idempotency: claimed,
          nowMs,
        });
        const redeemed = await beforeDeadline(redeeming);
        if (redeemed.kind === 'refused') return problemAnswer(context, redeemed);
        check.clock.saw(redeemed.redeemedAtMs);
        return json(
          200,
          { redeemed: true, redeemedAt: new Date(redeemed.redeemedAtMs).toISOString() },
          redeemed.isReplayed ? { 'idempotency-replayed': 'true' } : {},
        );
      },
    },
  ];
}
