/** Calls to the service that the benchmarks of reviews share. */
import { call, type Service } from '../service-processes.ts';

export const PLAIN_ITEM = { controlId: 'approval', source: 'desk', result: 'PASS' };

export function intentOf(objectRef: string, controlEvidence: readonly object[]): object {
  return {
    system: 'crm',
    objectType: 'customer',
    objectRef,
    field: 'email',
    agentValue: 'ada@example.com',
    requiredControls: ['approval'],
    controlEvidence,
  };
}

/** One review of a new write, opened by this key. */
export async function openReview(service: Service, key: string, objectRef: string) {
  const { decision_id } = await call(service, '/v1/check-write', key, intentOf(objectRef, []));
  return (await call(service, '/v1/reviews', key, { decision_id })).review;
}
