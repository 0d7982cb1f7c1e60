/** Reads decisions back: an owner sees its workspace's, a checking key those it requested itself. */
import { anyText, bodyOf, boundary, choice, optional, PAGE_DEFAULT_MAX, pageLimit } from '@writecheck/api';
import { DECISIONS, decisionResponseText } from '@writecheck/contract';
import { readRecord } from '@writecheck/ledger';
import { type Answer, json } from '../../answer.ts';
import type { Actor } from '../../people/actor.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { DecisionQuery, DecisionSummary } from '../../store/port.ts';
import { readQuery } from '../read-json.ts';
import type { KeyedCall, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { momentSchema, textSchema } from './shared-schemas.ts';

const QUERY = bodyOf({
  decision: optional(choice(...DECISIONS)),
  reason_code: optional(anyText),
  system: optional(anyText),
  objectRef: optional(anyText),
  workflowId: optional(anyText),
  runId: optional(anyText),
  keyId: optional(anyText),
  from: optional(boundary),
  to: optional(boundary),
  warn: optional(choice('true')),
  order: optional(choice('newest', 'oldest')),
  limit: optional(pageLimit),
  cursor: optional(anyText),
});
const DESCRIPTIONS = {
  decision: 'only these decisions',
  reason_code: 'only this reason',
  system: 'only this target system',
  objectRef: 'only this object',
  workflowId: 'only this workflow',
  runId: 'only this run',
  keyId: 'only those requested with this key',
  from: 'from this time on',
  to: 'before this time',
  warn: 'only those whose `evaluatedDecision` differs: what enforcing everything would change',
  order: 'default: `newest` first',
  limit: 'maximum number of items',
  cursor: 'the `nextCursor` of the previous page',
};

const nullableText = { type: ['string', 'null'] };
const SUMMARY = {
  type: 'object',
  properties: {
    decision_id: textSchema,
    audit_id: textSchema,
    keyId: textSchema,
    timestamp: momentSchema,
    decision: { enum: DECISIONS },
    evaluatedDecision: { enum: DECISIONS },
    reason_code: textSchema,
    system: textSchema,
    objectType: nullableText,
    objectRef: nullableText,
    field: nullableText,
    operation: nullableText,
    workflowId: nullableText,
    runId: nullableText,
  },
  required: ['decision_id', 'decision', 'reason_code', 'timestamp', 'system'],
};

export function decisionRoutes(parts: ServiceParts): readonly Route[] {
  return [listRoute(parts), readRoute(parts)];
}

const PAGE = {
  type: 'object',
  properties: { decisions: { type: 'array', items: SUMMARY }, nextCursor: nullableText },
  required: ['decisions', 'nextCursor'],
};

function listRoute({ store }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/decisions',
    access: 'either',
    described: {
      operationId: 'listDecisions',
      summary: 'decisions, newest first by default',
      query: Object.fromEntries(
        Object.entries(DESCRIPTIONS).map(([name, description]) => [
          name,
          { description, schema: QUERY.members[name]! },
        ]),
      ),
      success: {
        200: {
          description: 'a page; `nextCursor` is null at the end',
          schema: PAGE,
        },
      },
      errors: ['invalid_request'],
    },
    handle: async (call) => {
      const query = queryOf(call);
      if (query.kind === 'refused') return problemAnswer(call.context, query);
      if (query.kind === 'none') return json(200, { decisions: [], nextCursor: null });
      const page = await store.listDecisions(query.value);
      if (page.kind === 'bad_cursor') {
        const message = '`cursor` is not a `nextCursor` of this list';
        return problemAnswer(
          call.context,
          refuse('invalid_request', message, [{ pointer: '/cursor', message }]),
        );
      }
      return json(200, { decisions: page.decisions.map(shownSummary), nextCursor: page.nextCursor });
    },
  };
}

const DECISION = {
  type: 'object',
  properties: {
    decision_id: textSchema,
    audit_id: textSchema,
    keyId: textSchema,
    timestamp: momentSchema,
    intent: { type: 'object' },
    response: { $ref: '#/components/schemas/Decision' },
  },
  required: ['decision_id', 'audit_id', 'keyId', 'timestamp', 'intent', 'response'],
};

function readRoute({ store }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/decisions/{id}',
    access: 'either',
    described: {
      operationId: 'readDecision',
      summary: 'one decision with its intent',
      success: {
        200: {
          description: 'the decision',
          schema: DECISION,
        },
      },
      errors: ['not_found'],
    },
    handle: async ({ context, actor, params }) => {
      const found = await store.findDecision(actor.workspace, params.id!);
      const record = found === null ? null : readRecord(found.record);
      if (record === null || !maySee(actor, record.keyId)) {
        return problemAnswer(context, refuse('not_found', 'there is no such decision in this workspace'));
      }
      return shownRecord(record);
    },
  };
}

/** A checking key sees what it requested, everybody else the whole workspace. */
export function maySee(actor: Actor, askedBy: string): boolean {
  return actor.kind !== 'checking_key' || actor.id === askedBy;
}

/** The intent as received and the response as sent, both inserted as text. */
function shownRecord(record: ReturnType<typeof readRecord>): Answer {
  const { decisionId, auditId, requestId, traceId, timestamp, intentDigest, warnings } = record;
  const response = decisionResponseText(record.decision, {
    decisionId,
    auditId,
    requestId,
    traceId,
    timestampMs: Date.parse(timestamp),
    intentDigest,
    warnings,
  });
  const head = JSON.stringify({ decision_id: decisionId, audit_id: auditId, keyId: record.keyId, timestamp });
  const { headers } = json(200, null);
  return {
    status: 200,
    headers,
    body: `${head.slice(0, -1)},"intent":${record.intentText},"response":${response}}`,
  };
}

function queryOf({
  query,
  actor,
}: KeyedCall):
  | { readonly kind: 'read'; readonly value: DecisionQuery }
  | { readonly kind: 'none' }
  | Refusal {
  const read = readQuery(QUERY, query);
  if (read.kind === 'refused') return read;
  const { reason_code: reasonCode, from: fromMs, to: toMs, warn, limit: asked, ...same } = read.value;
  const isWarned = warn === undefined ? undefined : true;
  // A checking key sees its own decisions, whatever it asks for.
  if (actor.kind === 'checking_key' && same.keyId !== undefined && same.keyId !== actor.id)
    return { kind: 'none' };
  const keyId = actor.kind === 'checking_key' ? actor.id : same.keyId;
  const filters = { ...same, reasonCode, fromMs, toMs, isWarned, keyId };
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  return { kind: 'read', value: { ...given, workspace: actor.workspace, limit: asked ?? PAGE_DEFAULT_MAX } };
}

function shownSummary(summary: DecisionSummary): object {
  return {
    decision_id: summary.decisionId,
    audit_id: summary.auditId,
    keyId: summary.keyId,
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
