/** Every response that a wrapper has to survive, each with the expected result for the write. */
import { outOfTime, unproven } from './allow-scenarios.ts';
import { CLAIM_SCENARIOS } from './claim-scenarios.ts';
import { honest, otherBodies, otherMembers } from './content-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { STOP_SCENARIOS } from './stop-scenarios.ts';
import { otherStatuses, resets, silence, tooMuch } from './transport-scenarios.ts';

/** A connection reset at every byte of a response that would have been a valid allow. */
export const RESETS: readonly Scenario[] = resets;

export const SCENARIOS: readonly Scenario[] = [
  ...honest,
  ...silence,
  ...otherStatuses,
  ...otherBodies,
  ...otherMembers,
  ...unproven,
  ...outOfTime,
  ...CLAIM_SCENARIOS,
  ...STOP_SCENARIOS,
  ...tooMuch,
  ...RESETS,
];
