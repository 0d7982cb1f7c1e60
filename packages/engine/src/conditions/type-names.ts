/** The types of conditions, and their names in messages. */

/** Types are bits, because an open type is a set of them. */
export const STRING = 1;
export const DOUBLE = 2;
export const BOOL = 4;
export const INT = 8;
export const TIMESTAMP = 16;
export const DURATION = 32;
export const LIST = 64;
export const OBJECT = 128;
export const NUMBERS = INT | DOUBLE;
export const CONTAINERS = LIST | OBJECT;
/** The types that a path can lead to. */
export const JSON_TYPES = STRING | DOUBLE | BOOL | CONTAINERS;

const TYPE_NAMES: readonly (readonly [number, string])[] = [
  [STRING, 'a string'],
  [INT, 'an integer'],
  [DOUBLE, 'a double'],
  [BOOL, 'a boolean'],
  [TIMESTAMP, 'a timestamp'],
  [DURATION, 'a duration'],
  [LIST, 'a list'],
  [OBJECT, 'an object'],
];

export function nameOf(mask: number): string {
  if (mask === JSON_TYPES) return 'a value that may have any type';
  return TYPE_NAMES.filter(([bit]) => (mask & bit) !== 0)
    .map(([, name]) => name)
    .join(' or ');
}
