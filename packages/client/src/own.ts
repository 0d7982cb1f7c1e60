/** A member of a value from outside; undefined if there is none. */

/** INVARIANT: only own members count, so that a polluted prototype cannot supply a missing one. */
export function own(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
