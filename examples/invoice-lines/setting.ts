/** Everything the example needs: the ERP, a service with the policy, and the reader that signs for it. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@writecheck/client';
import { applyPolicy, startProgram, startService } from '../start-service.ts';
import { type Erp, openErp } from './erp.ts';

export interface Setting {
  readonly erp: Erp;
  /** Asks the reader before every check. */
  readonly client: Client;
  /** A client that sends no facts from the reader. */
  readonly alone: Client;
  stop(): Promise<void>;
}

const KID = 'erp-reader-1';

export async function startSetting(): Promise<Setting> {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-invoice-lines-'));
  const erp = openErp(join(folder, 'erp.db'));
  const service = await startService();

  // Creates what `writecheck evidence key` creates: the private half for the reader, the public half for the policy.
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: KID };
  writeFileSync(join(folder, 'erp-reader.jwk'), JSON.stringify(jwk), { mode: 0o600 });
  const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KID }] };
  const source = { kind: 'EvidenceSource', id: 'erp-reader', keys };
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, `${fileBeside('policy.yaml')}---\n${JSON.stringify(source)}\n`);
  await applyPolicy(service.url, service.ownerKey, policy);

  const config = join(folder, 'facts.yaml');
  writeFileSync(config, fileBeside('facts.yaml').replace('WORKSPACE', service.workspace));
  const token = randomBytes(24).toString('hex');
  const reader = await startProgram(['facts', 'serve', config], { ERP_READER_TOKEN: token });

  // An example on a busy machine may take its time.
  const settings = { apiKey: service.apiKey, baseUrl: service.url, timeoutMs: 20_000 };
  return {
    erp,
    client: createClient({ ...settings, facts: { url: reader.url, token } }),
    alone: createClient(settings),
    async stop() {
      await reader.stop();
      await service.stop();
      erp.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function fileBeside(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}
