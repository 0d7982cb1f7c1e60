/** Builds exports for tests: entries with the members that readers of decisions use, and no valid signatures. */
import {
  type ExportLine,
  encodeBase64,
  exportLine,
  leafBytes,
  notedEntryBytes,
  type Redemption,
  redemptionBytes,
} from '@writecheck/ledger';

export interface MadeDecision {
  readonly id: string;
  readonly atMs: number;
  readonly decision?: 'allow' | 'pause' | 'block';
  readonly evaluatedDecision?: 'allow' | 'pause' | 'block';
  readonly keyKind?: 'development' | 'live';
  readonly validMs?: number;
  readonly redeemedAtMs?: number;
  /** The reported outcomes, in this order. */
  readonly outcomes?: readonly { readonly result: string; readonly byOwner?: true }[];
  readonly intent: object;
}

const DIGEST = `sha256:${'a'.repeat(64)}`;
const HASH = encodeBase64(new Uint8Array(32));

export function decisionEntry(made: MadeDecision): { readonly leaf: string; readonly record: string } {
  const { id, atMs, decision = 'allow', evaluatedDecision = decision, keyKind = 'live', validMs } = made;
  const leaf = leafBytes({
    log: 'w1',
    decision_id: id,
    audit_id: 'aud_1',
    workspace: 'ws_1',
    keyId: 'key_1',
    keyKind,
    timestamp: new Date(atMs).toISOString(),
    decision,
    evaluatedDecision,
    reason_code: 'requirements_met',
    intentDigest: DIGEST,
    policyRef: null,
    validUntil: decision === 'allow' ? new Date(atMs + (validMs ?? 300_000)).toISOString() : null,
    recordDigest: DIGEST,
  });
  const record = `{"version":"writecheck.record.v1","decision_id":"${id}","intent":${JSON.stringify(made.intent)}}`;
  return { leaf: encodeBase64(leaf), record: encodeBase64(Buffer.from(record)) };
}

export function redemptionLeaf(decisionId: string, atMs: number): string {
  const entry: Redemption = {
    kind: 'redemption',
    log: 'w1',
    decision_id: decisionId,
    workspace: 'ws_1',
    keyId: 'key_1',
    keyKind: 'live',
    timestamp: new Date(atMs).toISOString(),
    intentDigest: DIGEST,
  };
  return encodeBase64(redemptionBytes(entry));
}

function outcomeLeaf(decisionId: string, result: string, byOwner: boolean): string {
  const timestamp = '2026-11-01T00:00:00.000Z';
  const by = { kind: byOwner ? 'owner_key' : 'key', id: 'key_1' };
  const entry = {
    kind: 'decision.outcome',
    workspace: 'ws_1',
    timestamp,
    by,
    decision_id: decisionId,
  } as const;
  const said = { ...entry, result, at: timestamp, noteDigest: null, refDigest: null };
  return encodeBase64(notedEntryBytes(said as never, 'w1'));
}

/** Redemptions come first, as from the log of another replica. */
export function exportOf(decisions: readonly MadeDecision[], hidden = 0): readonly string[] {
  const entries: { readonly leaf: string; readonly record?: string }[] = [];
  for (const { id, redeemedAtMs } of decisions) {
    if (redeemedAtMs !== undefined) entries.push({ leaf: redemptionLeaf(id, redeemedAtMs) });
  }
  for (const decision of decisions) entries.push(decisionEntry(decision));
  for (const { id, outcomes = [] } of decisions)
    for (const { result, byOwner = false } of outcomes)
      entries.push({ leaf: outcomeLeaf(id, result, byOwner) });
  const header: ExportLine = {
    kind: 'header',
    version: 'writecheck.export.v1',
    workspace: 'ws_1',
    logs: [{ log: 'w1', checkpoint: 'not checked' }],
  };
  const lines: ExportLine[] = [header];
  for (const entry of entries) lines.push({ kind: 'entry', log: 'w1', index: lines.length - 1, ...entry });
  for (let i = 0; i < hidden; i += 1) {
    lines.push({ kind: 'hash', log: 'w1', index: lines.length - 1, hash: HASH });
  }
  lines.push({ kind: 'trailer', lines: lines.length });
  return lines.map(exportLine);
}
