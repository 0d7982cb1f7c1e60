/** The AuthZEN endpoints: one evaluation, a batch, and what the service publishes about them. */
import { AUTHZEN } from '@writecheck/api';
import { BATCH_BODY_BYTES_MAX, BODY_BYTES_MAX } from '@writecheck/contract';
import { checkRoute } from '../../check/check-routes.ts';
import { checkWrite } from '../../check/check-write.ts';
import { prefersRepresentation } from '../../check/receipts.ts';
import type { Answer } from '../../exchange/answer.ts';
import { implement } from '../../exchange/implement.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { evaluationForm } from './evaluation-form.ts';

export function authzenRoutes({ check, people, ratePerKey }: ServiceParts): readonly Route[] {
  const evaluate = async (family: 'evaluation' | 'evaluations', call: KeyedCall): Promise<Answer> => {
    const { authzenContext } = await check.policies.snapshotOf(call.actor.workspace);
    const isWhole = prefersRepresentation(call.request.header('prefer'));
    const form = evaluationForm(family, authzenContext, () => `${people.publicUrl()}/v1/reviews`, isWhole);
    return checkWrite(check, { family, form, ratePerKey })(call);
  };
  const routes = [
    checkRoute(AUTHZEN.evaluate, BODY_BYTES_MAX, (call) => evaluate('evaluation', call)),
    checkRoute(AUTHZEN.evaluateMany, BATCH_BODY_BYTES_MAX, (call) => evaluate('evaluations', call)),
    metadataRoute(people),
  ];
  return routes.map((route) => ({ ...route, isAuthzen: true }));
}

/** With a path in the public URL, RFC 8615 puts the well-known part in front of it. */
export function metadataUnderPath({ config, people }: ServiceParts): readonly Route[] {
  const path = config.publicUrl === null ? '' : new URL(config.publicUrl).pathname.replace(/\/$/, '');
  if (path === '') return [];
  const route = metadataRoute(people);
  return [{ ...route, path: `${route.path}${path}`, isAuthzen: true }];
}

function metadataRoute(people: ServiceParts['people']): Route {
  return implement(AUTHZEN.readAuthzenMetadata, () => metadata(people.publicUrl()));
}

function metadata(publicUrl: string): Answer {
  const body = JSON.stringify({
    policy_decision_point: publicUrl,
    access_evaluation_endpoint: `${publicUrl}/access/v1/evaluation`,
    access_evaluations_endpoint: `${publicUrl}/access/v1/evaluations`,
  });
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body,
  };
}
