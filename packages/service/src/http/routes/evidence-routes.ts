/** Revokes an attestation: evidence that was good may stop being good. */

import { BODY_ERRORS, bodyOf, name } from '@writecheck/api';
import { REVIEW_DESK } from '@writecheck/contract';
import { json } from '../../answer.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { refuse } from '../../refusal.ts';
import { readJson } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { momentSchema, SMALL_JSON, textSchema } from './shared-schemas.ts';

const SHAPE = bodyOf({ source: name, jti: name });

const CANCEL_MESSAGE = 'to withdraw an approval, cancel its review: `POST /v1/reviews/{id}/cancel`';
const CANCEL_INSTEAD = refuse('invalid_request', CANCEL_MESSAGE, [
  { pointer: '/source', message: CANCEL_MESSAGE },
]);

export function evidenceRoutes({ store }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/evidence/revocations',
      access: 'managing',
      body: { ...SMALL_JSON, schema: SHAPE.schema },
      described: {
        operationId: 'revokeEvidence',
        summary: 'revoke an attestation by its source and id; later use of it blocks',
        success: {
          201: {
            description: 'the revocation; revoking twice keeps the first time',
            schema: {
              type: 'object',
              properties: { source: textSchema, jti: textSchema, revokedAt: momentSchema },
              required: ['source', 'jti', 'revokedAt'],
            },
          },
        },
        errors: [...BODY_ERRORS],
      },
      handle: async ({ context, actor, body }) => {
        const read = readJson(SHAPE, body);
        if (read.kind === 'refused') return problemAnswer(context, read);
        const { source, jti } = read.value;
        if (source === REVIEW_DESK) return problemAnswer(context, CANCEL_INSTEAD);
        const revokedAtMs = await store.revokeAttestation(actor.workspace, { source, jti }, context.nowMs);
        return json(201, { source, jti, revokedAt: new Date(revokedAtMs).toISOString() });
      },
    },
  ];
}
