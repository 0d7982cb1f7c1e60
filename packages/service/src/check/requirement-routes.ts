/** Reports what a write would need, before a caller requests a decision. */
import { STATUS } from '@writecheck/api';
import { BODY_BYTES_MAX } from '@writecheck/contract';
import { implement } from '../exchange/implement.ts';
import type { Route } from '../exchange/route.ts';
import type { ServiceParts } from '../parts/service-parts.ts';
import { reportRequirements } from './requirements.ts';

export function requirementRoutes({ check }: ServiceParts): readonly Route[] {
  return [
    implement(STATUS.readRequirements, (call) => reportRequirements(check, call), {
      body: { limitBytes: BODY_BYTES_MAX },
      isRated: true,
    }),
  ];
}
