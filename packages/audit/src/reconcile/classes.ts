/** The classes of changes, in order: a change gets the first that fits. */

/** `isFinding`: listed one by one. `isBypass`: no allow covers it. */
const CLASSES = {
  redeemed: { isFinding: false, isBypass: false },
  allowed: { isFinding: false, isBypass: false },
  observed: { isFinding: false, isBypass: false },
  development: { isFinding: false, isBypass: false },
  late: { isFinding: true, isBypass: false },
  after_block: { isFinding: true, isBypass: true },
  after_pause: { isFinding: true, isBypass: true },
  other_value: { isFinding: true, isBypass: true },
  nobody_asked: { isFinding: true, isBypass: true },
} as const;

export type ChangeClass = keyof typeof CLASSES;

export const CHANGE_CLASSES = Object.keys(CLASSES) as readonly ChangeClass[];

export function isFinding(one: ChangeClass): boolean {
  return CLASSES[one].isFinding;
}

export function isBypass(one: ChangeClass): boolean {
  return CLASSES[one].isBypass;
}
