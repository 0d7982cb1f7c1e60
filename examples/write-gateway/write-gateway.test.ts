import { createServer } from 'node:http';
import { createClient, type WriteIntent } from '@writecheck/client';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { approveAll, openWorkspace } from '../start-service.ts';
import { execute, type GatewaySettings } from './gateway.ts';
import { writeAfterReview } from './reviewed.ts';
import {
  changeTerms,
  type Setting,
  spawnGateway,
  startReviewed,
  startSetting,
  termsOfContract,
} from './setting.ts';

let setting: Setting;
let admin: pg.Client;
let settings: GatewaySettings;
let database: pg.Pool;
beforeAll(async () => {
  setting = await startSetting();
  admin = new pg.Client({ connectionString: setting.adminUrl });
  await admin.connect();
  // Every UPDATE that takes effect leaves a row, whoever made it.
  await admin.query(`
    CREATE TABLE seen (id text, terms text, note text);
    CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      $$ BEGIN INSERT INTO seen VALUES (NEW.id, NEW.payment_terms, NEW.note); RETURN NULL; END $$;
    CREATE TRIGGER see AFTER UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION see();`);
  database = new pg.Pool({ connectionString: setting.databaseUrl });
  const { service, gatewayKey: apiKey, verifierKeys: keys } = setting;
  settings = {
    database,
    service: { client: gatewayClient(service.url, apiKey), gateway: 'billing-gateway' },
    keys,
    workspace: service.workspace,
  };
});
afterAll(async () => {
  await database?.end();
  await admin?.end();
  await setting?.stop();
});
beforeEach(async () => void (await admin.query('TRUNCATE seen')));

const gatewayClient = (baseUrl: string, apiKey: string) =>
  createClient({ baseUrl, apiKey, timeoutMs: 5000, retries: 1 });

const writesSeen = async (): Promise<readonly string[]> =>
  (await admin.query('SELECT id, terms FROM seen')).rows.map(({ id, terms }) => `${id}=${terms}`);

async function receiptFor(intent: WriteIntent, apiKey = setting.agentKey): Promise<unknown> {
  const client = createClient({ baseUrl: setting.service.url, apiKey, timeoutMs: 10_000 });
  const decision = await client.checkWrite(intent, { receipt: true });
  if (!('receipt' in decision)) throw new Error(JSON.stringify(decision));
  return decision.receipt;
}

const TERMS = changeTerms('c-1', 'NET30');
const run = async (intent: unknown, receipt: unknown, other: Partial<GatewaySettings> = {}) => {
  const execution = await execute({ ...settings, ...other }, { intent, receipt });
  return execution.kind === 'executed' ? 'executed' : execution.reason;
};

test('the allowed value is written once, and the same receipt does nothing more', async () => {
  const receipt = await receiptFor(TERMS);
  expect(await run(TERMS, receipt)).toBe('executed');
  expect(await run(TERMS, receipt)).toBe('already_executed');
  expect(await writesSeen()).toEqual(['c-1=NET30']);
});

test('20 concurrent requests with one receipt make one write', async () => {
  const receipt = await receiptFor(TERMS);
  const answers = await Promise.all(Array.from({ length: 20 }, () => run(TERMS, receipt)));
  expect(answers.toSorted()).toEqual([...Array(19).fill('already_executed'), 'executed']);
  expect(await writesSeen()).toHaveLength(1);
});

describe('refused, each with its reason, and nothing is written', () => {
  const refused = async (reason: string, answer: Promise<string>) => {
    expect(await answer).toBe(reason);
    expect(await writesSeen()).toEqual([]);
  };

  test('another value, another object, another field, another source of the value', async () => {
    const receipt = await receiptFor(TERMS);
    for (const change of [
      { agentValue: 'NET90', authorityValue: 'NET90' },
      { agentValue: 'NET90' },
      { objectRef: 'c-2' },
      { field: 'note' },
      { authoritySource: 'the agent' },
    ]) {
      await refused('intent_mismatch', run({ ...TERMS, ...change }, receipt));
    }
  });

  test('a decision of another workspace, created by self-service sign-up', async () => {
    const { developmentKey } = await openWorkspace(setting.service.url);
    await refused('other_workspace', run(TERMS, await receiptFor(TERMS, developmentKey)));
  });

  test('an allow that has run out', async () => {
    const receipt = await receiptFor(TERMS);
    await refused('expired', run(TERMS, receipt, { now: () => Date.now() + 5 * 60_000 }));
  });

  test('an allow made with a development key, even if the request accepts that', async () => {
    const receipt = await receiptFor(TERMS, setting.service.apiKey);
    await refused('development_key', run(TERMS, receipt));
    const generous = { intent: TERMS, receipt, acceptDevelopment: true, acceptObserved: true };
    expect(await execute(settings, generous)).toMatchObject({ reason: 'development_key' });
  });

  test('an allow that only exists because the rule observes', async () => {
    const note = { ...TERMS, field: 'note', controlEvidence: [] };
    await refused('observed_allow', run(note, await receiptFor(note)));
  });

  test('a pause, and a block', async () => {
    const paused = { ...TERMS, controlEvidence: [] };
    await refused('not_allowed', run(paused, await receiptFor(paused)));
    const failed = TERMS.controlEvidence!.map((item) => ({ ...item, result: 'FAIL' }));
    const blocked = { ...TERMS, controlEvidence: failed };
    await refused('not_allowed', run(blocked, await receiptFor(blocked)));
  });

  test('no receipt, a forged one, and one of an unknown log', async () => {
    const receipt = (await receiptFor(TERMS)) as { readonly leaf: string };
    await refused('malformed_receipt', run(TERMS, undefined));
    const other = (await receiptFor({ ...TERMS, agentValue: 'NET90', authorityValue: 'NET90' })) as {
      readonly leaf: string;
    };
    await refused('forged_proof', run(TERMS, { ...other, leaf: receipt.leaf }));
    // The example key of the signed-note documentation.
    const keys = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    await refused('unknown_signer', run(TERMS, receipt, { keys }));
  });

  test('one that somebody else has redeemed', async () => {
    const receipt = await receiptFor(TERMS);
    const elsewhere = { ...settings.service, gateway: 'another-gateway' };
    expect(await run({ ...TERMS }, receipt, { service: elsewhere })).toBe('executed');
    await admin.query('TRUNCATE seen');
    await refused('already_redeemed', run(TERMS, receipt));
  });

  test('one whose policy has changed since', async () => {
    const receipt = await receiptFor(TERMS);
    const { url, ownerKey } = setting.service;
    const headers = { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json' };
    const running = (await (await fetch(`${url}/v1/policies`, { headers })).json()) as {
      readonly documents: readonly object[];
    };
    const documents = [...running.documents, { kind: 'Profile', id: 'all', require: ['approval'] }];
    const apply = (body: object) =>
      fetch(`${url}/v1/policies?confirmLoosening=true`, {
        method: 'PUT',
        headers,
        body: JSON.stringify(body),
      });
    expect((await apply({ documents })).status).toBe(200);
    await refused('not_redeemable', run(TERMS, receipt));
    expect((await apply({ documents: running.documents })).status).toBe(200);
  });

  test('writes that are not on the list, whatever was allowed', async () => {
    for (const change of [
      { field: 'credit_limit' },
      { field: 'note = $1, credit_limit = 9 --' },
      { field: 'constructor' },
      { system: 'crm' },
      { objectType: 'vendor' },
      { operation: 'customer.delete' },
      { agentValue: 'NET\u000030' },
    ]) {
      await refused('not_a_write', run({ ...TERMS, ...change }, await receiptFor(TERMS)));
    }
    for (const intent of [undefined, null, 'x', []]) await refused('not_a_write', run(intent, {}));
  });

  test('an object that does not exist', async () => {
    const intent = changeTerms('c-999', 'NET30');
    await refused('no_such_object', run(intent, await receiptFor(intent)));
  });

  test('the role of the gateway can change the two columns and nothing else', async () => {
    await expect(database.query('UPDATE customers SET credit_limit = 9')).rejects.toThrow(
      /permission denied/,
    );
    await expect(database.query('DELETE FROM customers')).rejects.toThrow(/permission denied/);
    await expect(database.query('DELETE FROM executed_decisions')).rejects.toThrow(/permission denied/);
  });

  test('a service that is down or returns anything except a clear yes', async () => {
    const receipt = await receiptFor(TERMS);
    const answers: readonly (readonly [number, string, string?])[] = [
      [200, '{"redeemed":"true"}'],
      [200, '{"redeemed":true'],
      [200, '<html>'],
      [200, 'null'],
      [201, '{"redeemed":true}'],
      [500, '{"redeemed":true}'],
      [409, '{"redeemed":true}'],
      [302, '{"redeemed":true}', '/elsewhere'],
    ];
    let answer = answers[0]!;
    const hostile = createServer((_, response) => {
      const [status, body, location] = answer;
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(location === undefined ? {} : { location }),
      });
      response.end(body);
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', () => resolve()));
    const { port } = hostile.address() as { readonly port: number };
    const service = {
      ...settings.service,
      client: gatewayClient(`http://127.0.0.1:${port}`, setting.gatewayKey),
    };
    for (answer of answers) {
      expect(await run(TERMS, receipt, { service })).toMatch(/^redeem_(failed|refused)$/);
    }
    hostile.closeAllConnections();
    await new Promise((resolve) => hostile.close(resolve));
    await refused('redeem_failed', run(TERMS, receipt, { service }));
    expect(await run(TERMS, receipt)).toBe('executed');
  });
});

/** Somebody else's transaction on the row: an UPDATE waits until it ends. */
async function lockRow(id: string): Promise<() => Promise<void>> {
  const other = new pg.Client({ connectionString: setting.adminUrl });
  await other.connect();
  await other.query('BEGIN');
  await other.query('SELECT 1 FROM customers WHERE id = $1 FOR UPDATE', [id]);
  return () => other.end();
}

const sessionsThat = async (condition: string): Promise<number> => {
  const found = await admin.query(
    `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'UPDATE customers%' AND ${condition}`,
  );
  return found.rowCount ?? 0;
};

test('a gateway killed between redeem and UPDATE writes nothing; sent again it writes once', async () => {
  const receipt = await receiptFor(TERMS);
  const gatewayProcess = async () => {
    const gateway = await spawnGateway(setting);
    onTestFinished(() => gateway.end());
    const init = { method: 'POST', body: JSON.stringify({ intent: TERMS, receipt }) };
    const send = () => fetch(gateway.url, { ...init, headers: { 'content-type': 'application/json' } });
    return { ...gateway, send };
  };
  const first = await gatewayProcess();
  const unlock = await lockRow('c-1');
  const ends = { answered: () => 'answered', cutOff: () => 'cut off' };
  const answer = first.send().then(ends.answered, ends.cutOff);
  const patience = { timeout: 10_000, interval: 20 };
  // The decision is redeemed by now, and the row is still unchanged.
  await expect.poll(() => sessionsThat("wait_event_type = 'Lock'"), patience).toBe(1);
  await first.end('SIGKILL');
  await unlock();
  expect(await answer).toBe('cut off');
  // Its session finds no client, ends, and rolls the transaction back.
  await expect.poll(() => sessionsThat("state <> 'idle'"), patience).toBe(0);
  expect(await writesSeen()).toEqual([]);

  const elsewhere = { ...settings.service, gateway: 'another-gateway' };
  expect(await run(TERMS, receipt, { service: elsewhere })).toBe('already_redeemed');
  const second = await gatewayProcess();
  expect([(await second.send()).status, (await second.send()).status]).toEqual([200, 409]);
  expect(await writesSeen()).toEqual(['c-1=NET30']);
});

test('a row that stays locked is a refusal, and the same receipt works when it is free again', async () => {
  const receipt = await receiptFor(TERMS);
  const unlock = await lockRow('c-1');
  expect(await run(TERMS, receipt)).toBe('database_failed');
  await unlock();
  expect(await run(TERMS, receipt)).toBe('executed');
  expect(await writesSeen()).toEqual(['c-1=NET30']);
});

test('with a reviewer, the gateway writes once they approve, and exactly what they approved', async () => {
  const { workspace, ownerKey, agentKey, gatewayKey } = await startReviewed(setting);
  const { url } = setting.service;
  const reviewed = {
    ...settings,
    workspace,
    service: { ...settings.service, client: gatewayClient(url, gatewayKey) },
  };
  const client = createClient({ baseUrl: url, apiKey: agentKey, timeoutMs: 10_000 });
  const intent = termsOfContract('c-2', 'NET45');
  let receipt: unknown;
  const written = writeAfterReview(client, intent, (request) => {
    receipt = request.receipt;
    return execute(reviewed, request);
  });
  await expect.poll(() => approveAll(url, ownerKey), { timeout: 20_000, interval: 100 }).toHaveLength(1);
  expect(await written).toMatchObject({
    executed: true,
    result: { kind: 'executed' },
    review: { state: 'approved' },
  });
  expect(await run(termsOfContract('c-2', 'NET90'), receipt, reviewed)).toBe('intent_mismatch');
  expect(await writesSeen()).toEqual(['c-2=NET45']);
});
