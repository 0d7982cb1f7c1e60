/** The source that a control names if nobody may ever satisfy it: a rule without exceptions. */

export const NOBODY = 'nobody';

/** Whether its author says so, unlike a control whose source has no key yet. */
export function isNobodys({ sources }: { readonly sources?: readonly string[] | null }): boolean {
  return sources?.length === 1 && sources[0] === NOBODY;
}
