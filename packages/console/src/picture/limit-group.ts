/** Which group of a limit a write counts in, looked up as the limit says. */
import type { LimitDocument, PolicyDocument } from '@writecheck/engine';

export interface Looked {
  readonly intent: { readonly [member: string]: unknown };
  /** What to call the key that asked. */
  readonly keyName: string | null;
  /** The facts that a control gave; null if none. */
  readonly factsOf: (controlId: string) => { readonly [member: string]: unknown } | null;
}

export function limitIn(documents: readonly PolicyDocument[], id: string): LimitDocument | null {
  return documents.find((each): each is LimitDocument => each.kind === 'Limit' && each.id === id) ?? null;
}

/** In the order of `by`; null for what this page cannot look up. */
export function groupOf({ by = [] }: Pick<LimitDocument, 'by'>, looked: Looked): readonly (string | null)[] {
  return by.map((path) => {
    if (path === 'key') return looked.keyName;
    const [root, ...names] = path.split('.');
    const from = root === 'facts' ? looked.factsOf(names.shift() ?? '') : looked.intent;
    let value: unknown = from;
    for (const name of names)
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as { readonly [member: string]: unknown })[name]
          : null;
    if (typeof value === 'number' || typeof value === 'boolean') return JSON.stringify(value);
    return typeof value === 'string' ? value : null;
  });
}
