/** A service with a log worth auditing, for tests: two workspaces, two bundles, redemptions, pauses. */
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExportVerifierOptions, verifyExport } from '@writecheck/ledger';
import { ALLOWED, ask, check, PAUSED, signUp } from '../ask.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../start-service.ts';

export interface AuditedService {
  readonly service: TestService;
  readonly keys: string;
  readonly stranger: Awaited<ReturnType<typeof signUp>>;
  /** Decisions of the first workspace, in the order of the log. */
  readonly decisionIds: readonly string[];
}

const BUNDLES = [
  [{ kind: 'Profile', id: 'p', require: ['identity'] }],
  [{ kind: 'Profile', id: 'p', require: ['identity', 'approval'] }],
];

export const auditedService = async (
  rounds: number,
  options: TestServiceOptions = {},
): Promise<AuditedService> => {
  const service = await startTestService(options);
  const stranger = await signUp(service);
  const decisionIds: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const documents = BUNDLES[round % 2];
    const url = `${service.url}/v1/policies?confirmLoosening=true`;
    await ask(url, { method: 'PUT', key: service.ownerKey, json: { documents } });
    const key = service.liveKey;
    const one = (await check(service, ALLOWED, { key })).body;
    await check(service, { ...ALLOWED, objectRef: 'THEIRS-1' }, { key: stranger.developmentKey });
    const two = (await check(service, { ...PAUSED, objectRef: `C-${round}` }, { key })).body;
    decisionIds.push(one.decision_id, two.decision_id);
    const json = { intentDigest: one.intentDigest };
    await ask(`${service.url}/v1/decisions/${one.decision_id}/redeem`, { key, json });
  }
  return { service, stranger, decisionIds, keys: (await ask(`${service.url}/v1/audit/key`)).text };
};

export const exportOf = async (
  service: TestService,
  query: Record<string, string> = {},
  key = service.ownerKey,
): Promise<readonly string[]> => {
  const response = await fetch(`${service.url}/v1/audit/export?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const text = await response.text();
  if (response.status !== 200 || !text.endsWith('\n')) throw new Error(text);
  return text.slice(0, -1).split('\n');
};

export const verdictOf = (lines: readonly string[], options: ExportVerifierOptions) =>
  verifyExport(lines, options);

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'writecheck-audit-'));

/** The data folder of a stopped service as a backup would hold it. */
export const copyOf = (folder: string): string => {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
};
