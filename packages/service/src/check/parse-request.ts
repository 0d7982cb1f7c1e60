/** Reads a request into its check. */
import { hash } from 'node:crypto';
import { canonicalIntent, parseIntent, type WriteIntent } from '@writecheck/contract';
import type { PolicySnapshot } from '@writecheck/engine';
import type { CheckingKeyKind, StoredKey } from '@writecheck/store/port';
import type { KeyActor } from '../exchange/actor.ts';
import { isRefusal, type Refusal, refuse } from '../exchange/refusal.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import type { KeyedCall } from '../exchange/route.ts';
import { DEVELOPMENT_CHECKS_A_MONTH } from '../features/keys/allowance.ts';
import { outOfScope } from '../features/keys/scope.ts';
import { type CheckFamily, type IdempotencyKey, idempotencyKey, isVisibleAscii } from './idempotency.ts';

export type CheckingKey = StoredKey & { readonly kind: CheckingKeyKind };

/** A request past the gates. */
export type CheckCall = Pick<KeyedCall, 'actor' | 'body' | 'context'> & {
  readonly request: Pick<KeyedCall['request'], 'header'>;
};

/** The write that a request asks about. */
export interface AskedWrite {
  readonly intent: WriteIntent;
  /** The parser's warnings. */
  readonly warnings: readonly string[];
  /** The intent's JSON, as it is recorded. */
  readonly bytes: Uint8Array;
}

/** How the requests of a route say which write they ask about. */
export interface CheckRules {
  readonly family: CheckFamily;
  readonly read: (body: Uint8Array, key: CheckingKey) => AskedWrite | Refusal;
  /** Whether `read` reads the same write under this policy. Left out if it does under any. */
  readonly readsAlikeUnder?: ((snapshot: PolicySnapshot) => boolean) | undefined;
}

/** A check that can be decided. */
export interface ParsedRequest extends AskedWrite {
  readonly readsAlikeUnder: CheckRules['readsAlikeUnder'];
  readonly key: CheckingKey;
  /** How many checks the key has a month; null if unlimited. */
  readonly quota: number | null;
  /** Has the time at which the check is decided. */
  readonly context: RequestContext;
  readonly digest: string;
  readonly idempotency: IdempotencyKey | null;
  /** The `Redeem` header: an allow is taken in the same commit. Null without it. */
  readonly claim: string | null;
}

export function parseRequest(
  { family, read, readsAlikeUnder }: CheckRules,
  { actor, body, request }: CheckCall,
  context: RequestContext,
): ParsedRequest | Refusal {
  // INVARIANT: these routes are open to checking keys only; the gate before them ensures it.
  const key = (actor as KeyActor).key as CheckingKey;
  const asked = read(body, key);
  if (isRefusal(asked)) return asked;
  const { intent, warnings, bytes } = asked;
  const idempotencyHeader = request.header('idempotency-key');
  const idempotency =
    idempotencyHeader === undefined ? null : idempotencyKey(idempotencyHeader, family, body, key.lineage);
  if (idempotency !== null && isRefusal(idempotency)) return idempotency;
  const claim = request.header('redeem') ?? null;
  const refused = claim === null ? null : refuseClaim(claim, idempotencyHeader);
  if (refused !== null) return refused;
  return {
    intent,
    warnings,
    bytes,
    readsAlikeUnder,
    key,
    quota: key.kind === 'development' ? DEVELOPMENT_CHECKS_A_MONTH : null,
    context,
    digest: digestOf(intent),
    idempotency,
    claim,
  };
}

/** INVARIANT: a claim comes with an `Idempotency-Key`, so that a lost response never leads to a second allow. */
function refuseClaim(claim: string, idempotencyHeader: string | undefined): Refusal | null {
  if (!isVisibleAscii(claim))
    return refuse('invalid_request', '`Redeem` must be 1 to 255 visible ASCII characters');
  if (idempotencyHeader !== undefined) return null;
  return refuse(
    'invalid_request',
    '`Redeem` needs an `Idempotency-Key`, so that you can retry after a lost response',
  );
}

/** The digest that `intentDigest` computes, with this runtime's hash: `npm run bench -- micro`, case `sha256`. */
export function digestOf(intent: WriteIntent): string {
  return `sha256:${hash('sha256', canonicalIntent(intent))}`;
}

/** Reads a body in our own form. */
export function readWrite(body: Uint8Array, key: CheckingKey): AskedWrite | Refusal {
  const parsed = parseIntent(body);
  if (parsed.kind === 'refused') return refuse(parsed.code, parsed.message, parsed.details);
  const { intent, warnings } = parsed;
  return outOfScope(key, intent) ?? { intent, warnings, bytes: body };
}
