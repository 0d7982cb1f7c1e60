/**
 * Starts the endpoint with its own service: `curl -d '{"clerk":"eve","orderId":"o-1","amount":20}' -H
 * 'content-type: application/json' URL/refunds`.
 */
import { join } from 'node:path';
import { createClient } from '@writecheck/client';
import { startService } from '../start-service.ts';
import { createApp } from './app.ts';
import { exampleBackend } from './example-backend.ts';

const service = await startService(join(import.meta.dirname, 'policy.yaml'));
const client = createClient({ baseUrl: service.url, apiKey: service.apiKey, timeoutMs: 10_000 });
const server = createApp(client, exampleBackend()).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  console.log(`refunds on http://127.0.0.1:${port}/refunds`);
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close();
    void service.stop();
  });
}
