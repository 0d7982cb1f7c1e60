/** The facts of a control that rules read, empty, so that a user fills them in instead of finding out their names. */
import type { JsonObject, JsonValue, WriteIntent } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { isAmount, readsOf } from '../../picture/record-facts.ts';

interface Filling {
  [name: string]: JsonValue | Filling;
}

export function factsToFill(
  documents: readonly PolicyDocument[],
  intent: JsonObject,
  controlId: string,
): JsonObject {
  const facts: Filling = {};
  for (const path of readsOf(documents, intent as unknown as WriteIntent).keys()) {
    const [, control, ...names] = path.split(/[.[]/);
    const last = names.pop();
    if (control !== controlId || last === undefined) continue;
    let within = facts;
    for (const name of names) {
      if (typeof within[name] !== 'object') within[name] = {};
      within = within[name] as Filling;
    }
    within[last] ??= emptyOf(last);
  }
  return facts as JsonObject;
}

/** By its name, because a policy does not say what a fact holds. */
function emptyOf(name: string): JsonValue {
  if (name === 'currency') return 'EUR';
  if (/(lines|items|list)$/i.test(name)) return [];
  return isAmount(name) || /(count|number|quantity)$/i.test(name) ? 0 : '';
}
