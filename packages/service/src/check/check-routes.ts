/** The check itself, on both of its paths, and in batches. */

import { CHECKS } from '@writecheck/api';
import { BATCH_BODY_BYTES_MAX, BODY_BYTES_MAX } from '@writecheck/contract';
import type { ServiceParts } from '../edge/service-parts.ts';
import type { KeyActor } from '../exchange/actor.ts';
import { implement, type Named } from '../exchange/implement.ts';
import type { KeyedCall, KeyedRoute, Route } from '../exchange/route.ts';
import { checkWrite } from './check-write.ts';
import type { CheckCall, CheckingKey } from './parse-request.ts';

export function checkRoutes({ check, ratePerKey }: ServiceParts): readonly Route[] {
  return [
    ...[CHECKS.checkWrite, CHECKS.checkWriteOnOlderPath].map((operation) =>
      checkRoute(operation, BODY_BYTES_MAX, (call) => checkWrite(check, checkCall('check', call))),
    ),
    checkRoute(CHECKS.checkWrites, BATCH_BODY_BYTES_MAX, (call) =>
      checkWrite(check, batchCall('batch', call, ratePerKey)),
    ),
  ];
}

/** The check parses its body and makes its refusals itself, so nothing is put around it. */
export function checkRoute(operation: Named, limitBytes: number, handle: KeyedRoute['handle']): Route {
  return { ...implement(operation, handle, { body: { limitBytes }, isCheck: true }), handle } as KeyedRoute;
}

export function batchCall(
  kind: CheckCall['kind'],
  call: KeyedCall,
  ratePerKey: ServiceParts['ratePerKey'],
): CheckCall {
  return {
    ...checkCall(kind, call),
    // The gate counted one check before the body was read; this counts the others.
    onSized: (checks) => ratePerKey?.charge(call.actor.id, checks - 1, call.context.nowMs),
  };
}

function checkCall(kind: CheckCall['kind'], { context, request, actor, body }: KeyedCall): CheckCall {
  return {
    kind,
    // INVARIANT: these routes are open to checking keys only; the gate before them ensures it.
    key: (actor as KeyActor).key as CheckingKey,
    body,
    context,
    idempotencyHeader: request.header('idempotency-key'),
    redeemHeader: request.header('redeem'),
    // Several of these headers arrive as one, joined by commas.
    preferHeader: request.header('prefer'),
  };
}
