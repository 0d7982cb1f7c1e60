/** A separate service for a test, with a policy that requires a single-use approval. */
import { generateKeyPairSync } from 'node:crypto';
import type { EvidenceItem, WriteIntent } from '@writecheck/client';
import { signEvidence } from '@writecheck/client/evidence';
import { startService } from './spawn-service.ts';

export interface RealService {
  readonly url: string;
  readonly apiKey: string;
  /** A person's approval of this write, valid for one allow. */
  approve(intent: WriteIntent): Promise<EvidenceItem>;
  /** `assured: false` accepts an unsigned statement. */
  applyPolicy(options: { readonly assured: boolean }): Promise<void>;
  stop(): Promise<void>;
}

export async function startRealService(): Promise<RealService> {
  const { url, stop } = await startService();
  const made = await fetch(`${url}/v1/workspaces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'test' }),
  });
  const { workspace, ownerKey, developmentKey } = (await made.json()) as {
    readonly workspace: { readonly id: string };
    readonly ownerKey: string;
    readonly developmentKey: string;
  };
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = privateKey.export({ format: 'jwk' });
  const service: RealService = {
    url,
    apiKey: developmentKey,
    approve: (intent) =>
      signEvidence({
        key,
        kid: 'k1',
        source: 'desk',
        workspace: workspace.id,
        controlId: 'approval',
        result: 'PASS',
        intent,
      }),
    async applyPolicy({ assured }) {
      const approval = { maxAge: '1h', use: 'once', ...(assured ? { assurance: 'attested' } : {}) };
      const documents = [
        { kind: 'ControlPack', id: 'pack', controls: { approval: assured ? approval : {} } },
        {
          kind: 'EvidenceSource',
          id: 'desk',
          keys: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] },
        },
        {
          kind: 'Profile',
          id: 'contacts',
          match: { system: 'crm', objectType: 'contact' },
          require: ['approval'],
        },
      ];
      const applied = await fetch(`${url}/v1/policies?confirmLoosening=true`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ documents }),
      });
      if (applied.status !== 200) throw new Error(await applied.text());
    },
    stop,
  };
  await service.applyPolicy({ assured: true });
  return service;
}
