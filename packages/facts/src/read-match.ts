/** Reads a match of the configuration. */
import { MATCH_MEMBERS, type Match } from '@writecheck/engine';
import type { Faults } from './faults.ts';

/** `named` must be present, and more specific than `*`. */
export function readMatch(
  value: unknown,
  at: string,
  named: readonly (keyof Match)[],
  faults: Faults,
): Match {
  const before = faults.list.length;
  const given = faults.object(value, at, MATCH_MEMBERS);
  if (given === undefined) return {};
  if (Object.keys(given).length === 0)
    faults.add(at, `must name at least one of ${MATCH_MEMBERS.join(', ')}`);
  for (const member of MATCH_MEMBERS) {
    const pattern = given[member];
    const place = `${at}/${member}`;
    if (pattern === undefined) {
      if (named.includes(member)) faults.add(place, 'is missing; `bind: object` needs it');
    } else if (!isPattern(pattern)) faults.add(place, 'must be a name, a glob with `*`, or a list of these');
    else if (named.includes(member) && [pattern].flat().some((one) => /^\*+$/.test(one)))
      faults.add(place, 'matches everything; `bind: object` needs the objects that the query reads');
  }
  // A match with an error is not compiled; the file is refused with all of its errors.
  return faults.list.length > before ? {} : (given as Match);
}

function isPattern(value: unknown): value is string | readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((one) => typeof one === 'string' && one !== '');
}
