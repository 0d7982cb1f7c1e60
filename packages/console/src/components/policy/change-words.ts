/** Findings about numbers in a reader's words, such as "from amounts over 500.00 to over 250.00". */
import type { Finding, PolicyDocument } from '@writecheck/engine';
import { durationWords } from '../../picture/durations.ts';
import { isAmount } from '../../picture/record-facts.ts';

/** The finding itself if it is about no number that this page can name. */
export function inNumbers(
  finding: Finding,
  was: PolicyDocument | undefined,
  is: PolicyDocument | undefined,
): Finding {
  const message = boundWords(finding.pointer, was, is) ?? ageWords(finding.message);
  return message === null ? finding : { ...finding, message };
}

const SIGNS = { '>': 'over', '>=': 'from', '<': 'under', '<=': 'up to' } as const;
const BOUND = /^\s*([\w.]+)\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)\s*$/;

/** For conditions that compare one member with a number. */
function boundWords(
  pointer: string,
  was: PolicyDocument | undefined,
  is: PolicyDocument | undefined,
): string | null {
  if (pointer !== '/when' || was?.kind !== 'Profile' || is?.kind !== 'Profile') return null;
  const [before, after] = [BOUND.exec(was.when ?? ''), BOUND.exec(is.when ?? '')];
  if (before === null || after === null || before[1] !== after[1]) return null;
  const name = before[1]!.split('.').at(-1)!;
  const words = ([, , sign, number]: RegExpExecArray) =>
    `${SIGNS[sign as keyof typeof SIGNS]} ${numberWords(Number(number), name)}`;
  return `from ${name === 'amount' ? 'amounts' : `\`${name}\``} ${words(before)} to ${words(after)}`;
}

function numberWords(number: number, name: string): string {
  return number.toLocaleString('en', { minimumFractionDigits: isAmount(name) ? 2 : 0 });
}

const AGES = /^(?:control (`[^`]+`): )?evidence may be (\w+) old instead of (\w+)$/;

function ageWords(message: string): string | null {
  const [, control, after, before] = AGES.exec(message) ?? [];
  if (after === undefined || before === undefined) return null;
  const what = control === undefined ? 'a check' : `a check of ${control}`;
  return `${what} may be ${durationWords(after)} old instead of ${durationWords(before)}`;
}
