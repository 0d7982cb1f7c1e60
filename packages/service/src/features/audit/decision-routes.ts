/** Reads decisions back: an owner sees its workspace's, a checking key those it requested itself. */
import { DECIDED_WRITES, type DecisionDetail, type DecisionSummary, PAGE_DEFAULT_MAX } from '@writecheck/api';
import { isoTime } from '@writecheck/contract';
import { type Received, type RecordFields, readRecord } from '@writecheck/ledger/log';
import type { DecisionQuery, DecisionSummary as StoredSummary } from '@writecheck/store/port';
import { recordedResponse } from '../../check/recorded-response.ts';
import { type Answer, jsonText } from '../../exchange/answer.ts';
import { answer, implement } from '../../exchange/implement.ts';
import { readQuery } from '../../exchange/read-json.ts';
import { BAD_CURSOR, type Refusal } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { maySee, NO_SUCH_DECISION, noSuchDecision } from './no-such-decision.ts';
import { listByOutcome, type WantedOutcome } from './outcome-list.ts';
import { shownOutcome } from './outcome-routes.ts';

const { listDecisions, readDecision } = DECIDED_WRITES;

export function decisionRoutes(parts: ServiceParts): readonly Route[] {
  const { store } = parts;
  return [
    implement(listDecisions, async (call) => {
      const query = queryOf(call);
      if (query.kind === 'refused') return query;
      if (query.kind === 'none') return answer(listDecisions, { decisions: [], nextCursor: null });
      const { outcome } = query;
      const page =
        outcome === undefined
          ? await store.listDecisions(query.value)
          : await listByOutcome(store, query.value, outcome, call.context.nowMs);
      if (page.kind === 'bad_cursor') return BAD_CURSOR;
      const { decisions, nextCursor } = page;
      const names = await keyNames(store, query.value.workspace);
      const shown = decisions.map((each) => shownSummary(each, names.get(each.keyId) ?? null));
      return answer(listDecisions, { decisions: shown, nextCursor });
    }),
    implement(readDecision, async ({ actor, params }) => {
      const found = await store.findDecision(actor.workspace, params.id);
      if (found === null) return noSuchDecision(parts, actor, params.id);
      const record = readRecord(found.record);
      if (!maySee(actor, record.keyId)) return NO_SUCH_DECISION;
      const names = await keyNames(store, actor.workspace);
      const since = record.decision.decision === 'allow' ? await sinceThen(store, record) : {};
      return shownRecord(record, names.get(record.keyId) ?? null, since);
    }),
  ];
}

/** For every role: whoever reads a decision needs to know which agent asked. A key's name is no secret inside its workspace. */
async function keyNames(
  store: ServiceParts['store'],
  workspace: string,
): Promise<ReadonlyMap<string, string>> {
  return new Map((await store.listKeys(workspace)).map(({ id, name }) => [id, name]));
}

type SinceThen = Pick<DecisionDetail, 'redemption' | 'outcome'>;

/** What happened to an allow after it was recorded. */
async function sinceThen(
  store: ServiceParts['store'],
  { workspace, decisionId }: RecordFields,
): Promise<SinceThen> {
  const [redeemed] = await store.redemptionTimes(workspace, [decisionId]);
  const [outcome] = await store.outcomesOf(workspace, [decisionId]);
  return {
    ...(redeemed && { redemption: { redeemedAt: isoTime(redeemed.atMs), keyId: redeemed.keyId } }),
    ...(outcome && { outcome: shownOutcome(outcome) }),
  };
}

/** The intent as received and the response as sent, both inserted as text. */
function shownRecord(record: RecordFields, keyName: string | null, since: SinceThen): Answer {
  const { decisionId, auditId, keyId, timestamp } = record;
  const received = record.received && shownReceived(record.received);
  const head = JSON.stringify({
    decision_id: decisionId,
    audit_id: auditId,
    keyId,
    keyName,
    timestamp,
    received,
    ...since,
  });
  return jsonText(
    200,
    `${head.slice(0, -1)},"intent":${record.intentText},"response":${recordedResponse(record)}}`,
  );
}

function shownReceived({ body, ...place }: Received): Received {
  return body === undefined ? place : { ...place, body: Buffer.from(body, 'base64').toString() };
}

function queryOf({
  query,
  actor,
}: KeyedCall):
  | { readonly kind: 'read'; readonly value: DecisionQuery; readonly outcome: WantedOutcome | undefined }
  | { readonly kind: 'none' }
  | Refusal {
  const read = readQuery(listDecisions.query, query);
  if (read.kind === 'refused') return read;
  const {
    reason_code: reasonCode,
    from: fromMs,
    to: toMs,
    warn,
    limit: asked,
    outcome,
    ...same
  } = read.value;
  const isWarned = warn === undefined ? undefined : true;
  // A checking key sees its own decisions, whatever it asks for.
  if (actor.kind === 'checking_key' && same.keyId !== undefined && same.keyId !== actor.id)
    return { kind: 'none' };
  const keyId = actor.kind === 'checking_key' ? actor.id : same.keyId;
  const filters = { ...same, reasonCode, fromMs, toMs, isWarned, keyId };
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  const value = { ...given, workspace: actor.workspace, limit: asked ?? PAGE_DEFAULT_MAX };
  return { kind: 'read', value, outcome };
}

function shownSummary(summary: StoredSummary, keyName: string | null): DecisionSummary {
  return {
    decision_id: summary.decisionId,
    audit_id: summary.auditId,
    keyId: summary.keyId,
    keyName,
    timestamp: summary.timestamp,
    decision: summary.decision,
    evaluatedDecision: summary.evaluatedDecision,
    reason_code: summary.reasonCode,
    system: summary.system,
    objectType: summary.objectType,
    objectRef: summary.objectRef,
    field: summary.field,
    operation: summary.operation,
    workflowId: summary.workflowId,
    runId: summary.runId,
  };
}
