/** Durations in words. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@writecheck/contract';

const STEPS = [
  { unit: 'd', ms: DAY_MS },
  { unit: 'h', ms: HOUR_MS },
  { unit: 'min', ms: MINUTE_MS },
  { unit: 's', ms: 1_000 },
] as const;

/** Such as `3 h`, `1 h 30 min` or `45 s`: at most two units, the second only for small values of the first. */
export function inWords(durationMs: number): string {
  const ms = Math.abs(durationMs);
  const at = STEPS.findIndex((step) => ms >= step.ms);
  const step = STEPS[at];
  if (step === undefined) return '0 s';
  const whole = Math.floor(ms / step.ms);
  const finer = STEPS[at + 1];
  const rest = finer === undefined || whole >= 10 ? 0 : Math.floor((ms % step.ms) / finer.ms);
  return rest === 0 ? `${whole} ${step.unit}` : `${whole} ${step.unit} ${rest} ${finer!.unit}`;
}

export function ago(ageMs: number): string {
  if (Math.abs(ageMs) < 1_000) return 'just now';
  return ageMs < 0 ? `${inWords(ageMs)} ahead` : `${inWords(ageMs)} ago`;
}

/** The largest unit only, such as `3 h`, on one line. */
export function coarse(durationMs: number): string {
  const ms = Math.abs(durationMs);
  const step = STEPS.find((each) => ms >= each.ms);
  return step === undefined ? '0 s' : `${Math.floor(ms / step.ms)}\u00a0${step.unit}`;
}

const UNITS: { readonly [unit: string]: string } = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

/** A duration of a policy: `10m` is "10 minutes". What is none stays as it is. */
export function durationWords(duration: string): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  return unit === undefined ? duration : `${count} ${UNITS[unit]}${count === '1' ? '' : 's'}`;
}
