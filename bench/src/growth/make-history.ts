/** Makes the segments of a year of decisions in the store's own format, without a service. */
import { hash } from 'node:crypto';
import { leafText } from '@writecheck/ledger';
import { newId } from '@writecheck/service/support/ids/new-id';
import { type BuiltSegment, SegmentBuilder } from '@writecheck/store/commit/segment-builder';
import type { LogHead } from '@writecheck/store/port';

const OBJECTS = 50_000;
const RUN_OF = 100;
const SYSTEMS = ['erp', 'crm', 'itsm', 'warehouse'];
const WORKFLOWS = ['invoices', 'onboarding', 'master-data'];
const STOPPED = [
  ['pause', 'CONTROL_EVIDENCE_MISSING'],
  ['pause', 'authority_unverified'],
  ['block', 'authority_mismatch'],
] as const;
/** One decision of this many is not an allow. */
const STOPPED_EVERY = 33;

/** The texts of the first record that differ from decision to decision, as they were sent. */
export const ASKED = { system: 'erp', objectRef: 'V-100423', workflowId: 'invoices', runId: 'run-000042' };

interface History {
  readonly head: LogHead;
  readonly workspace: string;
  /** The record of a decision that the service made. */
  readonly record: Uint8Array;
  readonly leaf: Uint8Array;
  readonly decisions: number;
  /** How many of them are already in the log, and after how many to stop. */
  readonly done: number;
  readonly until: number;
  /** Decisions in one commit. */
  readonly group: number;
  readonly fromMs: number;
  readonly toMs: number;
}

type Value = 'decisionId' | 'auditId' | 'digest' | 'system' | 'objectRef' | 'workflowId' | 'runId';

/** The text between the values, and which value follows. */
function piecesOf(text: string, values: { readonly [name in Value]: string }) {
  const pieces: { readonly text: string; readonly value: Value | null }[] = [];
  for (let rest = text; rest !== ''; ) {
    const next = (Object.entries(values) as [Value, string][])
      .map(([value, found]) => ({ value, found, at: rest.indexOf(found) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    pieces.push({ text: next === undefined ? rest : rest.slice(0, next.at), value: next?.value ?? null });
    rest = next === undefined ? '' : rest.slice(next.at + next.found.length);
  }
  return pieces;
}

/** Each segment follows the one before it. */
export function* makeHistory(history: History): Generator<BuiltSegment> {
  const { workspace, decisions, until, group, fromMs, toMs } = history;
  const first = JSON.parse(Buffer.from(history.leaf).toString());
  const pieces = piecesOf(Buffer.from(history.record).toString(), {
    decisionId: first.decision_id,
    auditId: first.audit_id,
    digest: first.intentDigest,
    system: `"system":"${ASKED.system}"`,
    objectRef: `"objectRef":"${ASKED.objectRef}"`,
    workflowId: `"workflowId":"${ASKED.workflowId}"`,
    runId: `"runId":"${ASKED.runId}"`,
  });
  const { head } = history;
  let now = { log: head.log, size: head.size, frontier: head.frontier, newestMs: head.newestAtMs };
  const digests = Array.from({ length: OBJECTS }, (_, i) => `sha256:${hash('sha256', `V-${i}`)}`);
  for (let done = history.done; done < until; ) {
    const atMs = Math.floor(fromMs + ((toMs - fromMs) * done) / decisions);
    const timestamp = new Date(atMs).toISOString();
    const builder = new SegmentBuilder(now);
    for (const end = Math.min(until, done + group); done < end; done += 1) {
      const objectRef = `V-${done % OBJECTS}`;
      const values: { readonly [name in Value]: string } = {
        decisionId: newId('dec_', atMs),
        auditId: newId('aud_', atMs),
        digest: digests[done % OBJECTS]!,
        system: `"system":"${SYSTEMS[(done >> 2) % SYSTEMS.length]}"`,
        objectRef: `"objectRef":"${objectRef}"`,
        workflowId: `"workflowId":"${WORKFLOWS[(done >> 5) % WORKFLOWS.length]}"`,
        runId: `"runId":"run-${Math.floor(done / RUN_OF)}"`,
      };
      let text = '';
      for (const piece of pieces)
        text += piece.value === null ? piece.text : piece.text + values[piece.value];
      // The bench's requests are ASCII.
      const record = Buffer.from(text, 'latin1');
      const [decision, reason] =
        done % STOPPED_EVERY === 0
          ? STOPPED[Math.floor(done / STOPPED_EVERY) % STOPPED.length]!
          : (['allow', first.reason_code] as const);
      const leaf = leafText({
        ...first,
        decision_id: values.decisionId,
        audit_id: values.auditId,
        workspace,
        timestamp,
        decision,
        evaluatedDecision: decision,
        reason_code: reason,
        intentDigest: values.digest,
        validUntil: null,
        recordDigest: `sha256:${hash('sha256', record)}`,
      });
      builder.append({ record, leaf: Buffer.from(leaf) }, atMs);
    }
    const segment = builder.finish();
    now = segment.next;
    yield segment;
  }
}
