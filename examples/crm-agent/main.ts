/** Runs the agent four times: before a person approved, after it, once more, and with the service down. */
import { join } from 'node:path';
import { createClient } from '@writecheck/client';
import { approveAll, startService } from '../start-service.ts';
import { runAgent } from './agent.ts';
import { scriptedModel } from './scripted-model.ts';

const service = await startService(join(import.meta.dirname, 'policy.yaml'));
const client = createClient({ baseUrl: service.url, apiKey: service.apiKey, timeoutMs: 10_000 });

const crm = new Map([['c-1042', 'ada@old.example']]);
let calls = 0;
const ask = async (title: string) => {
  calls += 1;
  const args = { id: 'c-1042', email: 'ada@example.org' };
  const model = scriptedModel('update_email', args, `call-${calls}`);
  const said = await runAgent({ model, client, crm }, 'Ada has a new address: ada@example.org');
  console.log(`## ${title}\n${said}\n-> the CRM holds ${crm.get('c-1042')}\n`);
};

await ask('nobody approved it');
const approved = await approveAll(service.url, service.ownerKey);
await ask(`${approved.join()} is approved`);

crm.set('c-1042', 'ada@old.example');
await ask('the approval was for one write');
await service.stop();
await ask('the service is down');
