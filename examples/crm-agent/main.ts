/** Runs the agent three times: without an approval, with one, and with nobody to ask. */
import { join } from 'node:path';
import { createClient, type EvidenceItem } from '@writecheck/client';
import { startService } from '../start-service.ts';
import { runAgent } from './agent.ts';
import { scriptedModel } from './scripted-model.ts';

const service = await startService(join(import.meta.dirname, 'policy.yaml'));
const client = createClient({ baseUrl: service.url, apiKey: service.apiKey, timeoutMs: 10_000 });

const crm = new Map([['c-1042', 'ada@old.example']]);
const approvals = new Map<string, EvidenceItem>();
const waiting: string[] = [];
const desk = {
  approvalOf: (change: string) => [approvals.get(change) ?? []].flat(),
  ask: (change: string) => void waiting.push(change),
};
const ask = async (title: string) => {
  const model = scriptedModel('update_email', { id: 'c-1042', email: 'ada@example.org' });
  const said = await runAgent({ model, client, crm, desk }, 'Ada has a new address: ada@example.org');
  console.log(`## ${title}\n${said}\n-> the CRM holds ${crm.get('c-1042')}\n`);
};

await ask('nobody approved it');
for (const change of waiting.splice(0)) {
  // Here a person looks at the queue and says yes.
  const checkedAt = new Date().toISOString();
  approvals.set(change, { controlId: 'approval', source: 'service-desk', result: 'PASS', checkedAt });
}
await ask('somebody approved it');

crm.set('c-1042', 'ada@old.example');
await service.stop();
await ask('the service is down');
