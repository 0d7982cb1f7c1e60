/** Adds people in every state, and webhooks that work and fail. Runs on the system clock. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ask } from '../../service/test/ask.ts';
import { invite, member } from '../../service/test/sign-in-kit.ts';
import type { TestService } from './harness.ts';

/** Returns a function that stops the receiver. The service needs `webhookAllow: '127.0.0.1'`. */
export async function seedSettings(service: TestService): Promise<() => void> {
  const key = service.ownerKey;
  await member(service, { name: 'Miriam Weber', email: 'm.weber@example.com', groups: ['finance'] });
  await member(service, { name: 'Ana Ortiz', email: 'm.ortiz@example.com', roles: ['owner'] });
  await member(service, { name: 'Jun Park', email: 'j.park@example.com', roles: ['author', 'auditor'] });
  await invite(service, { name: 'Fatima Nowak', email: 'f.nowak@example.com', roles: ['auditor'] });
  const gone = await member(service, { name: 'Tom Former', email: 't.former@example.com' });
  await ask(`${service.url}/v1/people/${gone.id}`, { method: 'DELETE', key });
  const receiver = createServer((request, response) => {
    response.statusCode = request.url === '/down' ? 503 : 204;
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const hooks = [
    { path: 'reviews', events: ['review.opened'], description: 'pages the desk' },
    { path: 'down', events: ['decision.blocked', 'policy.applied'], description: 'security team' },
  ];
  for (const { path, ...members } of hooks) {
    const url = `http://127.0.0.1:${port}/${path}`;
    const { body } = await ask(`${service.url}/v1/webhooks`, { key, json: { url, ...members } });
    for (let tests = 0; tests < 3; tests += 1)
      await ask(`${service.url}/v1/webhooks/${body.webhook.id}/test`, { key, json: {} });
  }
  return () => receiver.close();
}
