/** The values that a condition reads from facts, for people: explanations, the playground, reviews. */
import type { FactsOf } from './conditions/compiled-condition.ts';
import { parseCondition } from './conditions/parse.ts';
import { pathsIn, pathText } from './conditions/path-text.ts';
import { startOf, usableValueAt } from './conditions/read-value.ts';

export interface ShownFact {
  readonly controlId: string;
  /** The path as written in the condition. */
  readonly path: string;
  /** Undefined if there is no value. */
  readonly value: unknown;
}

/** Every path below `facts` that the condition names, once; a list as a whole. */
export function shownFacts(when: string, facts: FactsOf): readonly ShownFact[] {
  const parsed = parseCondition(when);
  if (parsed.kind === 'fault') return [];
  const shown = new Map<string, ShownFact>();
  for (const path of pathsIn(parsed.tree)) {
    const { controlId, steps } = startOf(path);
    const text = pathText(path.root, path.members);
    if (controlId !== null)
      shown.set(text, { controlId, path: text, value: usableValueAt(facts(controlId), steps) });
  }
  return [...shown.values()];
}
