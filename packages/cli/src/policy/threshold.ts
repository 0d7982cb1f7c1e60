/** A threshold on the command line: a number of decisions, or a share with `%`. */
import { CommandFailure } from '@writecheck/contract/command';

export interface Threshold {
  readonly text: string;
  readonly isShare: boolean;
  /** A count, or a share from 0 to 1. */
  readonly max: number;
}

export function parseThreshold(option: string, text: string | undefined): Threshold | null {
  if (text === undefined) return null;
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const isShare = percent === '%';
  const value = Number(digits);
  const isValid = digits !== undefined && (isShare ? value <= 100 : Number.isSafeInteger(value));
  if (!isValid)
    throw new CommandFailure(
      `${option} must be a number of decisions such as \`25\`, or a share such as \`1%\`; it is \`${text}\``,
    );
  return { text, isShare, max: isShare ? Number(`${digits}e-2`) : value };
}

/**
 * Whether a count is greater than its threshold. A share of nothing is 0. Both sides are rounded once, so a share that
 * is met exactly does not exceed.
 */
export function exceeds(count: number, of: number, { isShare, max }: Threshold): boolean {
  return isShare ? of > 0 && count / of > max : count > max;
}
