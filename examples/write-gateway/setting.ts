/** The surroundings of the gateway: a service with the policy, a PostgreSQL with the table, keys for both sides. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WriteIntent } from '@writecheck/client';
import { onServer, startTestServer } from '../../packages/store/test/test-postgres.ts';
import { applyPolicy, liveKey, openWorkspace, startService } from '../start-service.ts';

export type Setting = Awaited<ReturnType<typeof startSetting>>;

export async function startSetting() {
  const [service, server] = await Promise.all([
    startService(join(import.meta.dirname, 'policy.yaml')),
    // A separate server, because a role belongs to the whole server.
    startTestServer({ isOwn: true }),
  ]);
  const adminUrl = await server.newDatabase();
  await onServer(adminUrl, (admin) =>
    admin.query(readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8')),
  );
  const databaseUrl = new URL(adminUrl);
  databaseUrl.username = databaseUrl.password = 'gateway';
  return {
    service,
    adminUrl,
    databaseUrl: databaseUrl.href,
    agentKey: await liveKey(service.url, service.ownerKey, 'agent', 'billing'),
    gatewayKey: await liveKey(service.url, service.ownerKey, 'gateway', 'billing'),
    // INVARIANT: fetched from the service when the gateway is set up, never from the bearer of a receipt.
    verifierKeys: await (await fetch(`${service.url}/v1/audit/key`)).text(),
    async stop() {
      await Promise.all([service.stop(), server.remove()]);
    },
  };
}

/** A second workspace of the same service, with a reviewer in front of the gateway. */
export async function startReviewed({ service }: Setting) {
  const { workspace, ownerKey } = await openWorkspace(service.url);
  await applyPolicy(service.url, ownerKey, join(import.meta.dirname, 'policy-review.yaml'));
  return {
    workspace: workspace.id,
    ownerKey,
    agentKey: await liveKey(service.url, ownerKey, 'agent', 'billing'),
    gatewayKey: await liveKey(service.url, ownerKey, 'gateway', 'billing'),
  };
}

/** `serve.ts` with the settings it reads. */
export async function spawnGateway(setting: Setting, name = 'billing-gateway') {
  const child = spawn(
    process.execPath,
    ['--conditions=writecheck-source', join(import.meta.dirname, 'serve.ts')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        GATEWAY_DATABASE_URL: setting.databaseUrl,
        GATEWAY_NAME: name,
        GATEWAY_VERIFIER_KEYS: setting.verifierKeys,
        GATEWAY_WORKSPACE: setting.service.workspace,
        WRITECHECK_URL: setting.service.url,
        WRITECHECK_API_KEY: setting.gatewayKey,
      },
    },
  );
  const ended = once(child, 'close');
  const [said] = await Promise.race([once(child.stdout, 'data'), ended]);
  const url = /\bhttp:\S+/.exec(String(said))?.[0];
  if (url === undefined) throw new Error('the gateway did not start');
  return {
    url,
    async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
}

/** The write that an agent proposes: the terms of a customer, as in the contract, approved. */
export function changeTerms(objectRef: string, terms: string): WriteIntent {
  const checkedAt = new Date().toISOString();
  return {
    ...termsOfContract(objectRef, terms),
    controlEvidence: [{ controlId: 'approval', source: 'service-desk', result: 'PASS', checkedAt }],
  };
}

/** The same without an approval. */
export function termsOfContract(objectRef: string, terms: string): WriteIntent {
  return {
    system: 'billing',
    objectType: 'customer',
    objectRef,
    field: 'payment_terms',
    agentValue: terms,
    authorityFound: true,
    authoritySource: 'contracts',
    authorityValue: terms,
  };
}
