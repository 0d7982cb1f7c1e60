/** What was looked at lately, for the palette. In this tab only, and gone when its user signs out. */
import { useEffect } from 'preact/hooks';
import { keptForTab } from './kept.ts';
import { LOOKED_AT_AS } from './session.ts';

export interface LookedAt {
  readonly label: string;
  /** What it is, such as `review`. */
  readonly what: string;
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
}

const KEPT_MAX = 8;

/** Newest first. */
export function lookedAt(): readonly LookedAt[] {
  try {
    const kept: unknown = JSON.parse(keptForTab.get(LOOKED_AT_AS) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** Null while the page does not know yet what it shows. */
export function useLookedAt(thing: LookedAt | null): void {
  const text = JSON.stringify(thing);
  useEffect(() => {
    if (thing === null) return;
    const others = lookedAt().filter((each) => addressOf(each) !== addressOf(thing));
    keptForTab.set(LOOKED_AT_AS, JSON.stringify([thing, ...others].slice(0, KEPT_MAX)));
  }, [text]);
}

export function addressOf({ path, query }: Pick<LookedAt, 'path' | 'query'>): string {
  return JSON.stringify([path, query]);
}
