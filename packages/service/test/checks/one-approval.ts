/** One approval and many concurrent callers over every replica: one write runs. */
import { randomUUID } from 'node:crypto';
import { createClient } from '@writecheck/client';
import { ask } from '../ask.ts';
import type { Racing } from '../freezes/freezes-kit.ts';

const AT_ONCE = 50;

/** Half of the callers repeat one call, the others make separate calls. Returns what went wrong. */
export async function oneApproval(racing: Racing, callers: number): Promise<readonly string[]> {
  const { services, ownerKey, liveKey } = racing;
  const clients = services.map(({ url }) =>
    createClient({ baseUrl: url, apiKey: liveKey, timeoutMs: 30_000, retries: 3 }),
  );
  const target = { system: 'crm', objectType: 'contact', objectRef: `c-${randomUUID()}`, field: 'email' };
  const intent = { ...target, agentValue: 'ada@example.org', requiredControls: ['approval'] };
  let writes = 0;
  const write = (): void => {
    writes += 1;
  };
  const guard = (at: number) =>
    clients[at % clients.length]!.guardWrite(intent, write, {
      review: { waitMs: 0 },
      callId: at % 4 < 2 ? 'one' : `call-${at}`,
    });

  const asked = await guard(0);
  const id = asked.executed ? undefined : asked.review?.id;
  if (id === undefined) return [`no review was opened: ${JSON.stringify(asked)}`];
  const desk = `${services[0]!.url}/v1/reviews/${id}`;
  const { intentDigest } = (await ask(desk, { key: ownerKey })).body.review;
  const json = { verdict: 'approve', intentDigest };
  const { status, text } = await ask(`${desk}/verdicts`, { key: ownerKey, json });
  if (status !== 200) return [`not approved: ${text}`];

  for (let at = 0; at < callers; at += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, callers - at) }, (_, i) => guard(at + i)));
  return writes === 1 ? [] : [`${writes} writes of ${callers} callers ran`];
}
