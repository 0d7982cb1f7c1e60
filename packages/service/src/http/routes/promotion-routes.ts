/** Promotions: an observing profile is assessed, and enforces from then on if it has earned that. */

import { BODY_ERRORS, bodyOf, type Field, flag, name, optional, wholeNumber } from '@writecheck/api';
import { json, jsonText } from '../../answer.ts';
import { promote } from '../../impact/promote.ts';
import { DEFAULT_THRESHOLDS } from '../../impact/thresholds.ts';
import { authorOf } from '../../people/actor.ts';
import { isOwner } from '../../people/refuse-actor.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import { readJson } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { ASSESSMENT, objectOf } from './impact-schemas.ts';
import { readIfMatch } from './policy-routes.ts';
import { REVISION, SMALL_JSON, textSchema } from './shared-schemas.ts';

const DAYS_MAX = 36_500;

function numberFrom(least: number, most: number): Field<number> {
  return {
    schema: { type: 'number', minimum: least, maximum: most },
    isRequired: true,
    read: (value) =>
      typeof value === 'number' && value >= least && value <= most
        ? { value }
        : { fault: `must be a number from ${least} to ${most}` },
  };
}

const PROMOTE = bodyOf({
  profile: name,
  minDays: optional(numberFrom(0, DAYS_MAX)),
  minDecisions: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  maxStopped: optional(numberFrom(0, 1)),
  apply: optional(flag),
  force: optional(flag),
  confirmLoosening: optional(flag),
});

const PROMOTED = {
  type: 'object',
  properties: {
    assessment: ASSESSMENT,
    documents: { type: 'array', items: { type: 'object' } },
    ifMatch: textSchema,
    applied: objectOf({ revision: REVISION, digest: textSchema }),
  },
  required: ['assessment', 'documents', 'ifMatch'],
};

export function promotionRoutes(parts: ServiceParts): readonly Route[] {
  return [promoteRoute(parts), readAssessmentRoute(parts)];
}

function promoteRoute({ impact, check }: ServiceParts): Route {
  return {
    method: 'POST',
    path: '/v1/policies/promotions',
    access: 'managing',
    body: { ...SMALL_JSON, schema: PROMOTE.schema },
    described: {
      operationId: 'promoteProfile',
      summary: 'assess what an observing profile would have stopped, and with `apply` make it enforce',
      success: {
        200: { description: 'the assessment and the bundle in which it enforces', schema: PROMOTED },
      },
      errors: [
        ...BODY_ERRORS,
        'not_found',
        'not_observing',
        'run_in_progress',
        'promotion_not_earned',
        'invalid_policy',
        'loosening_unconfirmed',
        'revision_conflict',
        'managed_by_folder',
        'overloaded',
      ],
    },
    handle: async ({ context, request, actor, body }) => {
      const read = readJson(PROMOTE, body);
      if (read.kind === 'refused') return problemAnswer(context, read);
      const { apply = false, force = false, confirmLoosening = false } = read.value;
      const ifMatch = readIfMatch(request);
      const refusal = refuseForce(apply, force) ?? (typeof ifMatch === 'object' ? ifMatch : null);
      if (refusal !== null) return problemAnswer(context, refusal);
      let stopListening = (): void => undefined;
      const outcome = await promote(impact, {
        workspace: actor.workspace,
        by: authorOf(actor),
        profile: read.value.profile,
        thresholds: {
          minDays: read.value.minDays ?? DEFAULT_THRESHOLDS.minDays,
          minDecisions: read.value.minDecisions ?? DEFAULT_THRESHOLDS.minDecisions,
          maxStopped: read.value.maxStopped ?? DEFAULT_THRESHOLDS.maxStopped,
        },
        apply,
        force,
        isLooseningConfirmed: confirmLoosening,
        mayLoosen: isOwner(actor),
        ifMatch: ifMatch as string | null,
        nowMs: check.clock.notBefore(context.nowMs),
        whenGone: (leave) => {
          stopListening = request.whenGone(leave);
        },
      }).finally(() => stopListening());
      if (outcome.kind === 'refused') return problemAnswer(context, outcome);
      const { assessment, documents, applied } = outcome;
      return json(200, {
        assessment,
        documents,
        ifMatch: outcome.ifMatch,
        ...(applied === null ? {} : { applied: { revision: applied.revision, digest: applied.digest } }),
      });
    },
  };
}

function refuseForce(apply: boolean, force: boolean): Refusal | null {
  if (apply || !force) return null;
  const message = '`force` needs `apply`: without it nothing is applied';
  return refuse('invalid_request', message, [{ pointer: '/force', message }]);
}

function readAssessmentRoute({ store }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/policies/promotions/{id}',
    access: 'managing',
    described: {
      operationId: 'readAssessment',
      summary: 'an assessment, kept as long as the workspace exists',
      success: { 200: { description: 'the assessment', schema: objectOf({ assessment: ASSESSMENT }) } },
      errors: ['not_found'],
    },
    handle: async ({ context, actor, params }) => {
      const found = await store.findAssessment(actor.workspace, params.id!);
      return found === null
        ? problemAnswer(context, refuse('not_found', 'there is no such assessment in this workspace'))
        : jsonText(200, `{"assessment":${found}}`);
    },
  };
}
