/** The AuthZEN endpoints: one evaluation, several, and what the service publishes about them. */
import { AUTHZEN } from '@writecheck/api';
import { BODY_BYTES_MAX, EVALUATIONS_BYTES_MAX } from '@writecheck/contract';
import { answer, implement, routeOf } from '../../exchange/implement.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { evaluateMany, evaluateOne } from './evaluate.ts';
import { AUTHZEN_FORM } from './evaluation-answer.ts';

const form = AUTHZEN_FORM;

export function authzenRoutes(parts: ServiceParts): readonly Route[] {
  return [
    routeOf(AUTHZEN.evaluate, (call) => evaluateOne(parts, call, 'evaluation'), {
      limitBytes: BODY_BYTES_MAX,
      form,
    }),
    routeOf(AUTHZEN.evaluateMany, (call) => evaluateMany(parts, call), {
      limitBytes: EVALUATIONS_BYTES_MAX,
      form,
    }),
    metadataRoute(parts.people),
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
  const readMetadata = () => {
    const publicUrl = people.publicUrl();
    return answer(AUTHZEN.readAuthzenMetadata, 200, {
      policy_decision_point: publicUrl,
      access_evaluation_endpoint: `${publicUrl}/access/v1/evaluation`,
      access_evaluations_endpoint: `${publicUrl}/access/v1/evaluations`,
    });
  };
  return implement(AUTHZEN.readAuthzenMetadata, readMetadata, { form });
}
