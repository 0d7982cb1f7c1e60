/** Every property on every case of every small world. */
import { factsOfOneRecord } from './facts-scope.ts';
import { authority, oneItem, people, sources, twoItems } from './small-scopes.ts';
import { walkScope } from './walk-scope.ts';

const SCOPES = { authority, factsOfOneRecord, oneItem, people, sources, twoItems };

export async function torture() {
  let count = 0;
  const faults: string[] = [];
  for (const [scope, enumerate] of Object.entries(SCOPES)) {
    const { cases, violation } = walkScope(enumerate, 1);
    count += cases;
    if (violation !== null) faults.push(`${scope}: ${JSON.stringify(violation, null, 1)}`);
  }
  return {
    claim: 'every property of a decision holds on every case of six small worlds',
    count: `${count} cases`,
    seed: 'none: all cases',
    faults,
  };
}
