/** The check itself, on both of its paths, and in batches. */
import { CHECKS } from '@writecheck/api/decisions';
import { BATCH_BODY_BYTES_MAX, BODY_BYTES_MAX } from '@writecheck/contract';
import { implement, type Named } from '../exchange/implement.ts';
import type { KeyedRoute, Route } from '../exchange/route.ts';
import type { ServiceParts } from '../parts/service-parts.ts';
import { checkWrite } from './check-write.ts';

export function checkRoutes({ check, ratePerKey }: ServiceParts): readonly Route[] {
  const one = checkWrite(check, { family: 'check' });
  const many = checkWrite(check, { family: 'batch', ratePerKey });
  return [
    checkRoute(CHECKS.checkWrite, BODY_BYTES_MAX, one),
    checkRoute(CHECKS.checkWriteOnOlderPath, BODY_BYTES_MAX, one),
    checkRoute(CHECKS.checkWrites, BATCH_BODY_BYTES_MAX, many),
  ];
}

export function checkRoute(operation: Named, limitBytes: number, handle: KeyedRoute['handle']): Route {
  return implement(operation, handle, { body: { limitBytes }, isCheck: true, handlesItself: true });
}
