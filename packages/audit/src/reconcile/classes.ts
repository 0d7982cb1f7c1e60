/** The classes of changes, in order: a change gets the first that fits. */
export const CHANGE_CLASSES = [
  'redeemed',
  'allowed',
  'observed',
  'development',
  'late',
  'after_block',
  'after_pause',
  'other_value',
  'nobody_asked',
] as const;

export type ChangeClass = (typeof CHANGE_CLASSES)[number];

/** These are listed one by one. */
const FINDINGS: readonly ChangeClass[] = [
  'late',
  'after_block',
  'after_pause',
  'other_value',
  'nobody_asked',
];

/** No allow covers these. */
const BYPASSES: readonly ChangeClass[] = FINDINGS.slice(1);

export function isFinding(one: ChangeClass): boolean {
  return FINDINGS.includes(one);
}

export function isBypass(one: ChangeClass): boolean {
  return BYPASSES.includes(one);
}
