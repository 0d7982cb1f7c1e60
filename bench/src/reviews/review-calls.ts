/** Calls to the service that the benchmarks of reviews share. */
import type { Service } from '../service-processes.ts';

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

// biome-ignore lint/suspicious/noExplicitAny: the bench reads what the service says.
export async function call({ port }: Service, path: string, key: string, json?: object): Promise<any> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** One review of a new write, opened by this key. */
export async function openReview(service: Service, key: string, objectRef: string) {
  const { decision_id } = await call(service, '/v1/check-write', key, intentOf(objectRef, []));
  return (await call(service, '/v1/reviews', key, { decision_id })).review;
}
