/** The requirements of a write. */
import type { Remediation } from '@writecheck/contract';
import { isObject } from '@writecheck/contract';
import { callService } from './call-service.ts';
import type { Unanswered } from './decision-types.ts';
import type { NeededFacts } from './facts-types.ts';
import { unanswered } from './local-decision.ts';
import { own } from './own.ts';
import type { AbortSignalLike } from './platform.ts';
import type { Settings } from './settings.ts';
import type { snapshotIntent } from './snapshot-intent.ts';

/** The inner members are as the service sent them. */
export interface Requirements {
  readonly kind: 'requirements';
  readonly requirements: readonly { readonly controlId: string; readonly [member: string]: unknown }[];
  readonly authority: { readonly [member: string]: unknown };
  /** What would be decided now. It permits nothing. */
  readonly evaluated: { readonly decision: string; readonly reason_code: string };
  readonly remediation: readonly Remediation[];
  /** The controls whose facts a condition or limit may read; empty from a service without facts. */
  readonly facts: readonly NeededFacts[];
}

export type RequirementsAnswer = Requirements | Unanswered;

export async function requirements(
  settings: Settings,
  snapshot: ReturnType<typeof snapshotIntent>,
  { signal }: { readonly signal?: AbortSignalLike | undefined },
): Promise<RequirementsAnswer> {
  if (snapshot.kind === 'unusable')
    return unanswered('invalid_intent', 'the intent cannot be written as a JSON object');
  const called = await callService(settings, {
    path: '/v1/requirements',
    body: snapshot.json,
    expects: 'a list of requirements',
    signal,
  });
  if (called.kind === 'unanswered') return called;
  const {
    requirements,
    authority,
    evaluated,
    remediation,
    facts = [],
  } = (called.value ?? {}) as Partial<Requirements>;
  if (
    !Array.isArray(requirements) ||
    !Array.isArray(remediation) ||
    !areNeeded(facts) ||
    !isObject(authority) ||
    !isObject(evaluated)
  )
    return unanswered('invalid_answer', 'the response is not a list of requirements: it lacks members');
  return { kind: 'requirements', requirements, authority, evaluated, remediation, facts };
}

function areNeeded(facts: unknown): facts is readonly NeededFacts[] {
  return Array.isArray(facts) && facts.every((one) => typeof own(one, 'controlId') === 'string');
}
