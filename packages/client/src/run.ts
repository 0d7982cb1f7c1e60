/** One call of a guard: the claim under which it takes an allow, and what it reports to the service afterwards. */
import type { RunOptions } from './client-types.ts';
import type { Settings } from './settings.ts';
import { randomKey } from './snapshot-intent.ts';

export interface Run {
  /** Random for each call of a guard and the same over its retries; undefined for a write that is safe to repeat. */
  readonly claim?: string;
  readonly reports: boolean;
}

export function startRun(settings: Settings, options: RunOptions | undefined): Run {
  const claim = isOff(options, 'once') ? {} : { claim: randomKey() };
  return { ...claim, reports: settings.outcomes && !isOff(options, 'outcomes') };
}

/** INVARIANT: only an own property counts; a polluted prototype must not let a write run twice. */
function isOff(options: RunOptions | undefined, name: 'once' | 'outcomes'): boolean {
  return options instanceof Object && Object.hasOwn(options, name) && options[name] === false;
}
