/** Sets a customer's terms through the gateway, then tries to reuse the same receipt. */
import { createClient } from '@writecheck/client';
import { onServer } from '../../packages/store/test/test-postgres.ts';
import { approveAll } from '../start-service.ts';
import { writeAfterReview } from './reviewed.ts';
import { changeTerms, spawnGateway, startReviewed, startSetting, termsOfContract } from './setting.ts';

const setting = await startSetting();
const gateway = await spawnGateway(setting);
const reviewed = await startReviewed(setting);
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

// The same with a reviewer, in a separate workspace.
const gatewayBehind = await spawnGateway({
  ...setting,
  service: { ...setting.service, workspace: reviewed.workspace },
  gatewayKey: reviewed.gatewayKey,
});
const agent = createClient({ baseUrl: setting.service.url, apiKey: reviewed.agentKey, timeoutMs: 10_000 });
const written = writeAfterReview(agent, termsOfContract('c-2', 'NET45'), async (body) => {
  const response = await fetch(gatewayBehind.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.status;
});
let approved: readonly string[] = [];
while (approved.length === 0) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  approved = await approveAll(setting.service.url, reviewed.ownerKey);
}
const outcome = await written;
console.log(`${approved} is approved, and the gateway answered ${outcome.executed && outcome.result}`);

const { rows } = await onServer(setting.adminUrl, (admin) =>
  admin.query('SELECT id, payment_terms FROM customers ORDER BY id'),
);
console.log(rows);

await Promise.all([gateway.end(), gatewayBehind.end()]);
await setting.stop();
