/** Shows how much of each limit is drawn, and gives back what was drawn in error. */
import { LIMITS, type LimitGroup, type ReadOf, type ReadQueryOf } from '@writecheck/api';
import { drawsOfText, withReading } from '@writecheck/contract';
import { digestOf, type Limit } from '@writecheck/engine/deciding';
import { readDraws } from '@writecheck/store/commit/admit-limits';
import { type CheckingKeyKind, counterPlace, type Store } from '@writecheck/store/port';
import { type IdempotencyKey, idempotencyKey, KEPT_MS, KEY_REUSED } from '../../check/idempotency.ts';
import { actingOf, claimScope } from '../../exchange/actor.ts';
import { type AnswerTo, answer, implement } from '../../exchange/implement.ts';
import { BAD_CURSOR, isRefusal, type Refusal, refuse, refuseAt } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';

const { listLimits, readLimit, correctLimit } = LIMITS;
const NOT_LIMITED = refuse('not_found', 'the running policy has no such limit; `GET /v1/limits` lists them');
const NO_GROUP = refuse(
  'not_found',
  'nothing is drawn in this group; `GET /v1/limits/{id}` lists the groups',
);

export function limitRoutes({ store, check }: ServiceParts): readonly Route[] {
  const limitsOf = async (workspace: string) => (await check.policies.snapshotOf(workspace)).limits;
  const find = async (workspace: string, id: string) =>
    (await limitsOf(workspace)).find((limit) => limit.id === id);
  return [
    implement(listLimits, async ({ actor: { workspace }, query, context }) => {
      const limits = await limitsOf(workspace);
      const places = limits.map((limit) => placeOf(workspace, limit, query.keyKind));
      const groups = await store.countGroups(places, context.nowMs);
      return answer(listLimits, 200, {
        limits: limits.map(({ id, version, per, max }, i) => ({ id, version, per, max, groups: groups[i]! })),
      });
    }),
    implement(readLimit, async ({ actor: { workspace }, params, query, context }) => {
      const limit = await find(workspace, params.id);
      if (limit === undefined) return NOT_LIMITED;
      const { keyKind, cursor = null, limit: size = 50 } = query;
      const place = placeOf(workspace, limit, keyKind);
      if (cursor !== null && !(/^[0-9a-f]{56}$/.test(cursor) && cursor.startsWith(place))) return BAD_CURSOR;
      // One more than the page shows, to tell whether there is another page.
      const found = await store.listGroups(place, context.nowMs, cursor, size + 1);
      const shown = found.slice(0, size);
      const [{ restoredMs } = { restoredMs: null }] = await store.drawsAt([place]);
      return answer(readLimit, 200, {
        groups: shown.map(({ texts, draws }) => stateOf(limit, texts, draws, restoredMs, context.nowMs)),
        nextCursor: found.length > size ? shown.at(-1)!.place : null,
      });
    }),
    implement(correctLimit, async (call, sent) => {
      const limit = await find(call.actor.workspace, call.params.id);
      return limit === undefined ? NOT_LIMITED : correct(store, check, call, limit, sent);
    }),
  ];
}

async function correct(
  store: Store,
  { clock }: ServiceParts['check'],
  call: KeyedCall<ReadQueryOf<typeof correctLimit>>,
  limit: Limit,
  { group, amount, reason }: ReadOf<typeof correctLimit>,
): Promise<AnswerTo<typeof correctLimit> | Refusal> {
  const { actor, context, query } = call;
  const { keyKind = 'live' } = query;
  const claimed = claimOf(call, limit, keyKind);
  if (claimed !== null && isRefusal(claimed)) return claimed;
  const atMs = clock.notBefore(context.nowMs);
  const outcome = await store.correctDraws({
    ...nameOf(actor.workspace, limit, keyKind),
    per: limit.per,
    max: limit.max,
    groupDigest: digestOf(group),
    amount,
    reason,
    atMs,
    by: actingOf(actor),
    idempotency: claimed === null ? null : { ...claimed, expiresAtMs: atMs + KEPT_MS },
  });
  switch (outcome.kind) {
    case 'key_reused':
      return KEY_REUSED;
    case 'unknown_group':
      return NO_GROUP;
    case 'too_much':
      return refuseAt('/amount', `only ${outcome.drawn} is drawn in this group`);
    case 'corrected': {
      const { draws, restoredMs, atMs: thenMs, max } = outcome.corrected;
      if (outcome.isNew) clock.saw(atMs);
      const headers = outcome.isNew ? {} : { 'idempotency-replayed': 'true' };
      return answer(correctLimit, 200, stateOf({ ...limit, max }, group, draws, restoredMs, thenMs), headers);
    }
  }
}

/** The same bytes for another limit are a different request. */
function claimOf(
  { actor, request, body }: KeyedCall,
  { id, counter }: Limit,
  keyKind: CheckingKeyKind,
): IdempotencyKey | Refusal | null {
  const family = `correction ${keyKind} ${counter} ${id}` as const;
  return idempotencyKey(request.header('idempotency-key'), family, body, claimScope(actor));
}

function nameOf(workspace: string, { id, counter }: Limit, keyKind: CheckingKeyKind = 'live') {
  return { workspace, keyKind, limitId: id, counter };
}

function placeOf(workspace: string, limit: Limit, keyKind: CheckingKeyKind | undefined): string {
  return counterPlace(nameOf(workspace, limit, keyKind));
}

function stateOf(
  { id, version, max, per, window }: Limit,
  group: readonly string[],
  draws: string,
  restoredMs: number | null,
  atMs: number,
): LimitGroup {
  const reading = readDraws(id, '', window, drawsOfText(draws), restoredMs, atMs);
  const unread = { drawn: null, draw: null, remaining: null, resetsAt: null, beyond: false, observed: false };
  const { drawn, remaining, resetsAt } = withReading({ id, version, max, per, ...unread }, reading);
  return { group, drawn: drawn!, remaining: remaining!, resetsAt };
}
