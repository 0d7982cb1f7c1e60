/** Reports what a write would need, before a caller requests a decision. */
import { STATUS } from '@writecheck/api';
import { BODY_BYTES_MAX } from '@writecheck/contract';
import { reportRequirements } from '../../check-write/requirements.ts';
import { scopeOf } from '../../people/actor.ts';
import { implement } from '../implement.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';

export function requirementRoutes({ check }: ServiceParts): readonly Route[] {
  return [
    implement(
      STATUS.readRequirements,
      async ({ actor, body, context }) =>
        reportRequirements(check, {
          key: scopeOf(actor),
          checkingKey: actor.kind === 'checking_key' ? actor.key : null,
          body,
          context,
        }),
      { body: { limitBytes: BODY_BYTES_MAX }, isRated: true },
    ),
  ];
}
