/** An event as OCSF: a decision with its outcome, anything else with its data. */
import { type OcsfDecision, ocsfDecision, ocsfEvent } from '@writecheck/ledger';
import type { EventData } from './event-types.ts';

export function ocsfBody(type: string, atMs: number, data: EventData): object {
  // INVARIANT: `entry-events.ts` gives these events every member that is read here.
  return type === 'decision.paused' || type === 'decision.blocked'
    ? ocsfDecision({ ...(data as unknown as OcsfDecision), atMs })
    : ocsfEvent(type, atMs, data);
}
