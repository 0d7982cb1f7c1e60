/** The gateway writes what a receipt allows, once, and refuses everything else. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@writecheck/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ExampleService, liveKey, openWorkspace, startService } from '../start-service.ts';
import { execute, type Gateway } from './gateway.ts';

const NET30 = {
  system: 'billing',
  objectType: 'customer',
  objectRef: 'c-1',
  field: 'payment_terms',
  agentValue: 'NET30',
  authorityFound: true,
  authorityValue: 'NET30',
  authoritySource: 'contracts',
  controlEvidence: [{ controlId: 'approval', source: 'service-desk', result: 'PASS' }],
};

let service: ExampleService;
let agentKey: string;
let gateway: Gateway;
beforeAll(async () => {
  service = await startService(join(import.meta.dirname, 'policy.yaml'));
  agentKey = await liveKey(service.url, service.ownerKey, 'agent', 'billing');
});
afterAll(() => service.stop());
beforeEach(async () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE customers (id TEXT PRIMARY KEY, payment_terms TEXT, note TEXT)');
  database.exec("INSERT INTO customers VALUES ('c-1', 'NET10', ''), ('c-2', 'NET10', '')");
  database.exec('CREATE TABLE executed_decisions (decision_id TEXT PRIMARY KEY)');
  const apiKey = await liveKey(service.url, service.ownerKey, 'gateway', 'billing');
  const keys = await (await fetch(`${service.url}/v1/audit/key`)).text();
  const client = createClient({ baseUrl: service.url, apiKey, timeoutMs: 10_000 });
  gateway = { database, client, keys, name: 'billing', workspace: service.workspace };
});

/** The receipt of a check of this write. */
async function receiptFor(intent: object, key = agentKey): Promise<unknown> {
  const client = createClient({ baseUrl: service.url, apiKey: key, timeoutMs: 10_000 });
  const { decision_id } = (await client.checkWrite(intent as never)) as { readonly decision_id: string };
  const path = `${service.url}/v1/decisions/${decision_id}/receipt`;
  return (await fetch(path, { headers: { authorization: `Bearer ${key}` } })).json();
}

function termsOf(id: string): unknown {
  return gateway.database.prepare('SELECT payment_terms FROM customers WHERE id = ?').get(id)?.payment_terms;
}

test('it writes exactly what was allowed, and only once', async () => {
  const receipt = await receiptFor(NET30);
  for (const other of [{ agentValue: 'NET90' }, { objectRef: 'c-2' }, { field: 'note' }])
    expect(await execute(gateway, { ...NET30, ...other }, receipt)).toBe('intent_mismatch');
  expect([await execute(gateway, NET30, receipt), termsOf('c-1')]).toEqual(['executed', 'NET30']);
  expect(await execute(gateway, NET30, receipt)).toBe('already_executed');
  expect(await execute({ ...gateway, name: 'another' }, NET30, receipt)).toBe('already_redeemed');
});

test('it refuses what is not allowed, not live, of another workspace, or no write of its own', async () => {
  const paused = await receiptFor({ ...NET30, controlEvidence: [] });
  expect(await execute(gateway, { ...NET30, controlEvidence: [] }, paused)).toBe('not_allowed');
  expect(await execute(gateway, NET30, await receiptFor(NET30, service.apiKey))).toBe('development_key');
  const { developmentKey } = await openWorkspace(service.url);
  expect(await execute(gateway, NET30, await receiptFor(NET30, developmentKey))).toBe('other_workspace');
  for (const intent of [null, { ...NET30, field: 'id' }, { ...NET30, operation: 'customer.delete' }])
    expect(await execute(gateway, intent, await receiptFor(NET30))).toBe('not_a_write');
  expect(termsOf('c-1')).toBe('NET10');
});

test('it writes nothing while the service is down, and a failed write can be sent again', async () => {
  const receipt = await receiptFor(NET30);
  const down = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: agentKey, timeoutMs: 500 });
  expect(await execute({ ...gateway, client: down }, NET30, receipt)).toBe('redeem_failed');
  gateway.database.exec('ALTER TABLE customers RENAME TO away');
  await expect(execute(gateway, NET30, receipt)).rejects.toThrow('no such table');
  gateway.database.exec('ALTER TABLE away RENAME TO customers');
  expect([await execute(gateway, NET30, receipt), termsOf('c-1')]).toEqual(['executed', 'NET30']);
});
