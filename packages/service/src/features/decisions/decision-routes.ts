/** Reads decisions back: an owner sees its workspace's, a checking key those it requested itself. */
import {
  COUNTED_DAYS_MAX,
  DECIDED_WRITES,
  type DecisionDetail,
  type DecisionSummary,
  PAGE_DEFAULT_MAX,
  type ReadQueryOf,
} from '@writecheck/api';
import { ALLOW_MS_MAX, DAY_MS, given, isoTime } from '@writecheck/contract';
import { type RecordFields, readRecord } from '@writecheck/ledger/log';
import { firstIdAt } from '@writecheck/store/log/decision-time';
import type { DecisionQuery, DecisionSummary as StoredSummary } from '@writecheck/store/port';
import { REPORTED_MS_MAX } from '@writecheck/store/port/outcomes';
import { recordedResponse } from '../../check/recorded-response.ts';
import type { Actor } from '../../exchange/actor.ts';
import { type AnswerTo, answer, answerText, implement } from '../../exchange/implement.ts';
import { BAD_CURSOR, refuseAt } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { maySee, NO_SUCH_DECISION, noSuchDecision } from './no-such-decision.ts';
import { listByOutcome } from './outcome-list.ts';
import { shownOutcome } from './outcome-routes.ts';

const { listDecisions, readDecision } = DECIDED_WRITES;

export function decisionRoutes(parts: ServiceParts): readonly Route[] {
  const { store } = parts;
  return [
    implement(listDecisions, async ({ actor, context, query: { outcome, ...asked } }) => {
      const query = queryOf(actor, asked);
      if (query === null) return answer(listDecisions, 200, { decisions: [], nextCursor: null });
      const page =
        outcome === undefined
          ? await store.listDecisions(query)
          : await listByOutcome(store, query, outcome, context.nowMs);
      if (page.kind === 'bad_cursor') return BAD_CURSOR;
      const { decisions, nextCursor } = page;
      const names = await keyNames(store, actor.workspace);
      const shown = decisions.map((each) => shownSummary(each, names.get(each.keyId) ?? null));
      return answer(listDecisions, 200, { decisions: shown, nextCursor });
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
    implement(countDecisions, async ({ context, actor, query }) => {
      const { step = 'day', to = context.nowMs } = query;
      const mostMs = COUNTED_DAYS_MAX[step] * DAY_MS;
      const { from = to - mostMs } = query;
      if (to - from > mostMs) {
        const message = `\`from\` must be at most ${COUNTED_DAYS_MAX[step]} days before \`to\``;
        return refuseAt('/from', message);
      }
      const counts = await store.countDecisions(actor.workspace, from, to, step);
      const { nowMs } = context;
      const outcomes = await store.countOutcomes(
        actor.workspace,
        firstIdAt(nowMs - REPORTED_MS_MAX),
        firstIdAt(nowMs - ALLOW_MS_MAX),
      );
      return answer(countDecisions, 200, {
        counts: counts.map(({ fromMs, warned, ...same }) => ({
          from: new Date(fromMs).toISOString(),
          ...same,
          warn: warned,
        })),
        outcomes,
      });
    }),
  ];
}

/**
 * Every role may see them: the reader of a decision needs to know which agent asked. A key's name is not secret
 * inside its workspace.
 */
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
function shownRecord(
  record: RecordFields,
  keyName: string | null,
  since: SinceThen,
): AnswerTo<typeof readDecision> {
  const { decisionId, auditId, keyId, timestamp } = record;
  const head = JSON.stringify({
    decision_id: decisionId,
    audit_id: auditId,
    keyId,
    keyName,
    timestamp,
    ...since,
  });
  return answerText(
    readDecision,
    200,
    `${head.slice(0, -1)},"intent":${record.intentText},"response":${recordedResponse(record)}}`,
  );
}

/** Null if nothing can be found: a checking key sees its own decisions, whatever it asks for. */
function queryOf(
  actor: Actor,
  {
    reason_code: reasonCode,
    from: fromMs,
    to: toMs,
    warn,
    limit = PAGE_DEFAULT_MAX,
    ...same
  }: Omit<ReadQueryOf<typeof listDecisions>, 'outcome'>,
): DecisionQuery | null {
  const isWarned = warn === undefined ? undefined : (true as const);
  const isOwnOnly = actor.kind === 'checking_key';
  if (isOwnOnly && same.keyId !== undefined && same.keyId !== actor.id) return null;
  const keyId = isOwnOnly ? actor.id : same.keyId;
  const { workspace } = actor;
  return given({ ...same, reasonCode, fromMs, toMs, isWarned, keyId, workspace, limit });
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

const { countDecisions } = DECIDED_WRITES;
