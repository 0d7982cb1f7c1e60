/** One entry of each kind that a verifier only lists. */
import type { NotedEntry } from '../src/index.ts';
import { WORKSPACE } from './test-log.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const AT = { workspace: WORKSPACE, timestamp: '2026-11-17T04:00:00.000Z' };
const BY = { ...AT, by: { kind: 'person', id: 'per_1' } } as const;

export const NOTED_SAMPLES: readonly NotedEntry[] = [
  { kind: 'policy.applied', ...BY, revision: 2, digest: DIGEST, loosened: true },
  { kind: 'key.created', ...BY, key: 'key_1', keyKind: 'live' },
  { kind: 'key.rotated', ...BY, key: 'key_1', keyKind: 'live', replacement: 'key_2' },
  { kind: 'key.revoked', ...BY, key: 'key_1', keyKind: 'live' },
  { kind: 'evidence.revoked', ...BY, source: 'hris', jti: 'j1' },
  {
    kind: 'limit.corrected',
    ...BY,
    limit: 'refunds',
    keyKind: 'live',
    counter: DIGEST,
    group: DIGEST,
    amount: '1.5',
    steps: [{ step: 1, amount: '1.5' }],
    reasonDigest: DIGEST,
  },
  { kind: 'workspace.renamed', ...BY },
  { kind: 'workspace.suspended', ...BY },
  { kind: 'workspace.resumed', ...BY },
  { kind: 'workspace.deleted', ...BY },
  { kind: 'workspace.granted', ...BY },
  { kind: 'webhook.created', ...BY, webhook: 'whk_1' },
  { kind: 'webhook.changed', ...BY, webhook: 'whk_1' },
  { kind: 'webhook.deleted', ...BY, webhook: 'whk_1' },
  {
    ...{ kind: 'freeze.created', ...BY, freeze: 'frz_1', number: 1, scope: { system: ['crm', 'erp*'] } },
    ...{ until: null, reasonDigest: DIGEST },
  },
  { kind: 'freeze.lifted', ...AT, by: null, freeze: 'frz_1', number: 2, reasonDigest: DIGEST },
  {
    ...{ kind: 'decision.outcome', ...BY, decision_id: 'dec_1', result: 'done', at: AT.timestamp },
    ...{ noteDigest: null, refDigest: DIGEST },
  },
  {
    ...{
      kind: 'records.erased',
      ...BY,
      erasure: 'era_1',
      reason: 'asked to',
      chosenBy: ['object'],
      before: null,
    },
    ...{ decisions: ['dec_1'], reviews: [], decisionCount: 1, entryCount: 2 },
  },
];
