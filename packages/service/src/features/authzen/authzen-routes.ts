/** The AuthZEN endpoints: one evaluation, a batch, and what the service publishes about them. */
import { AUTHZEN } from '@writecheck/api';
import { BATCH_BODY_BYTES_MAX, BODY_BYTES_MAX } from '@writecheck/contract';
import { checkWrite } from '../../check/check-write.ts';
import { prefersRepresentation } from '../../check/receipts.ts';
import type { Answer } from '../../exchange/answer.ts';
import { answer, implement, routeOf } from '../../exchange/implement.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { evaluationForm } from './evaluation-form.ts';

export function authzenRoutes({ check, people, rates }: ServiceParts): readonly Route[] {
  const evaluate = async (family: 'evaluation' | 'evaluations', call: KeyedCall): Promise<Answer> => {
    const { authzenContext } = await check.policies.snapshotOf(call.actor.workspace);
    const isWhole = prefersRepresentation(call.request.header('prefer'));
    const form = evaluationForm(family, authzenContext, () => `${people.publicUrl()}/v1/reviews`, isWhole);
    return checkWrite(check, { family, form, rates })(call);
  };
  return [
    routeOf(AUTHZEN.evaluate, (call) => evaluate('evaluation', call), { limitBytes: BODY_BYTES_MAX }),
    routeOf(AUTHZEN.evaluateMany, (call) => evaluate('evaluations', call), {
      limitBytes: BATCH_BODY_BYTES_MAX,
    }),
    metadataRoute(people),
  ];
}

/** If the public URL has a path, RFC 8615 puts the well-known part before it. */
export function metadataUnderPath({ config, people }: ServiceParts): readonly Route[] {
  const path = config.publicUrl === null ? '' : new URL(config.publicUrl).pathname.replace(/\/$/, '');
  if (path === '') return [];
  const route = metadataRoute(people);
  return [{ ...route, path: `${route.path}${path}` }];
}

function metadataRoute(people: ServiceParts['people']): Route {
  return implement(AUTHZEN.readAuthzenMetadata, () => {
    const publicUrl = people.publicUrl();
    return answer(AUTHZEN.readAuthzenMetadata, 200, {
      policy_decision_point: publicUrl,
      access_evaluation_endpoint: `${publicUrl}/access/v1/evaluation`,
      access_evaluations_endpoint: `${publicUrl}/access/v1/evaluations`,
    });
  });
}
