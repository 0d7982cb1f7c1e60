/** The optimizations between a decision and its commit, each with the plain version for comparison. */
import { hash } from 'node:crypto';
import { type Leaf, leafBytes, recordBytes } from '@writecheck/ledger';
import type { CommitRequest } from '@writecheck/store/port';
import { sha256 } from '@writecheck/store/sha256';
import { unpackRequests } from '@writecheck/store/sqlite/arrived-group';
import { type Extras, packRequests } from '@writecheck/store/sqlite/commit-wire';
import { sha256 as portableSha256 } from '../../packages/ledger/src/sha256.ts';
import type { Case } from './micro-case.ts';
import { benchBody } from './service.ts';

/** Of 64 callers, about half are in one commit. */
const GROUP = 32;
const LOG = 'log_0123456789abcdef';
const WORKSPACE = 'ws_0199f0f0f0f07123456789abcdef0123';
const DIGEST = `sha256:${'0'.repeat(64)}`;
/** As long as the usual part of a record before its intent. */
const BEFORE = `{"version":"record.v1","decision":{${'"requirement":"satisfied",'.repeat(50)}"intent":`;

const request: CommitRequest = {
  workspace: WORKSPACE,
  keyId: 'key_0199f0f0f0f07123456789abcdef0123',
  keyKind: 'live',
  quota: null,
  freezeNumber: 0,
  idempotency: null,
  bundle: { digest: DIGEST, hasLimits: false },
  atMs: Date.UTC(2026, 10, 15, 12),
  record: { before: BEFORE, intent: Buffer.from(benchBody()), after: '}' },
  leaf: {
    decision_id: 'dec_0199f0f0f0f07123456789abcdef0123',
    audit_id: 'aud_0199f0f0f0f07123456789abcdef0123',
    keyId: 'key_0199f0f0f0f07123456789abcdef0123',
    timestamp: '2026-11-15T12:00:00.000Z',
    decision: 'allow',
    evaluatedDecision: 'allow',
    reason_code: 'requirements_met',
    intentDigest: DIGEST,
    policyRef: DIGEST,
    validUntil: '2026-11-15T12:01:00.000Z',
  },
  consumes: [],
  restsOn: [],
};
const requests = Array.from({ length: GROUP }, () => request);
const extras = Array.from(
  { length: GROUP },
  (_, number): Extras => ({
    number,
    idempotency: {
      key: `key-${number}`,
      requestDigest: DIGEST,
      claim: null,
      expiresAtMs: Date.UTC(2026, 11, 15, 12),
      replayableWhile: '',
      response: '',
    },
    consumes: [],
    restsOn: [],
    redeems: { decisionId: request.leaf.decision_id, intentDigest: DIGEST },
  }),
);
const bytes = recordBytes(request.record);

function leafOf({ leaf }: CommitRequest, recordDigest: string): Leaf {
  return { ...leaf, log: LOG, workspace: WORKSPACE, keyKind: 'live', recordDigest };
}

let spare: SharedArrayBuffer | null = null;

export const COMMIT_CASES: readonly Case[] = [
  {
    // To the writer thread, until every decision has its bytes, digest and leaf.
    name: 'commit-wire: one buffer for a group',
    timesPerCheck: 1 / GROUP,
    trick: () => {
      const packed = packRequests(requests, LOG, spare, []);
      spare = packed.buffer;
      return unpackRequests(structuredClone(packed));
    },
    plain: () =>
      structuredClone(requests).map((each) => {
        const stored = recordBytes(each.record);
        return { stored, leaf: leafBytes(leafOf(each, `sha256:${hash('sha256', stored)}`)) };
      }),
  },
  {
    // A check that is redeemed by its caller under a key.
    name: 'extras-wire: what few requests have in JSON',
    timesPerCheck: 1 / GROUP,
    isOneLine: true,
    trick: () => JSON.parse(structuredClone(JSON.stringify(extras))),
    plain: () => structuredClone(extras),
  },
  {
    // The intent, the record, the leaf and its nodes.
    name: 'sha256: of the runtime',
    timesPerCheck: 4,
    isOneLine: true,
    trick: () => sha256(bytes),
    plain: () => portableSha256(bytes),
  },
];
