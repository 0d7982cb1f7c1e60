/** Reads from a decision what stopped a write, if the decision itself says it. */
import type { LocalDecision, Stop, StopDecision } from './decision-types.ts';
import { instant } from './judge-answer.ts';
import { own } from './own.ts';

interface StopNews {
  readonly stopped?: Stop;
  readonly resetsAt?: string | null;
}

const CODES_OF_LIMITS = ['limit_exceeded', 'limit_unreadable'];

export function stopOf(decision: StopDecision | LocalDecision): StopNews {
  if (decision.origin === 'client') return decision.cause.kind === 'taken' ? { stopped: 'taken' } : {};
  if (decision.reason_code === 'frozen') return { stopped: 'frozen' };
  return CODES_OF_LIMITS.includes(decision.reason_code)
    ? { stopped: 'limit', resetsAt: resetsAt(decision) }
    : {};
}

/** The latest end of a limit that the write exceeds; null if unknown. An observing limit stops nothing. */
function resetsAt(decision: StopDecision): string | null {
  const limits = own(decision, 'limits');
  let latest: string | null = null;
  for (const limit of Array.isArray(limits) ? limits : []) {
    const at = own(limit, 'resetsAt');
    if (own(limit, 'beyond') !== true || own(limit, 'observed') === true || Number.isNaN(instant(at)))
      continue;
    if (latest === null || instant(at) > instant(latest)) latest = at as string;
  }
  return latest;
}
