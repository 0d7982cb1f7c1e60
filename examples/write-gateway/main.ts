/** Sets a customer's terms through the gateway, then tries to get more out of the same receipt. */
import { createClient } from '@writecheck/client';
import { onServer } from '../../packages/service/test/test-postgres.ts';
import { changeTerms, spawnGateway, startSetting } from './setting.ts';

const setting = await startSetting();
const gateway = await spawnGateway(setting);
const client = createClient({ baseUrl: setting.service.url, apiKey: setting.agentKey, timeoutMs: 10_000 });

const intent = changeTerms('c-1', 'NET30');
const decision = await client.checkWrite(intent, { receipt: true });
console.log(`the service says ${decision.decision}`);
const receipt = 'receipt' in decision ? decision.receipt : undefined;

const send = async (title: string, body: object) => {
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  console.log(`${title}: ${response.status} ${await response.text()}`);
};
await send('other terms than allowed', { intent: changeTerms('c-1', 'NET90'), receipt });
await send('another customer', { intent: changeTerms('c-2', 'NET30'), receipt });
await send('as allowed', { intent, receipt });
await send('the same again', { intent, receipt });
const { rows } = await onServer(setting.adminUrl, (admin) =>
  admin.query('SELECT id, payment_terms FROM customers ORDER BY id'),
);
console.log(rows);

await gateway.end();
await setting.stop();
