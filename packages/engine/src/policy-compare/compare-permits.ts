/** Checks that nothing is permitted that was not permitted before. */
import type { ProfileDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { enforcesNoLater } from './compare-modes.ts';
import { conditionTraits } from './condition-traits.ts';
import { appliesWherever } from './cover-match.ts';
import { type Finding, findingsAbout } from './findings.ts';
import { isAsWide } from './wider-condition.ts';

export function comparePermits(
  before: readonly ProfileDocument[],
  after: readonly ProfileDocument[],
  list: Finding[],
): void {
  for (const permit of after) {
    if (before.some((old) => reaches(old, permit))) continue;
    const findings = findingsAbout(list, 'Profile', permit.id);
    const old = before.find(({ id }) => id === permit.id);
    if (old === undefined)
      findings.loosens('', `the profile ${quoted(permit.id)} permits writes that it did not permit before`);
    else if (differsInCondition(old, permit))
      findings.unclear(
        '/when',
        'it may permit more: its condition changes, and comparing cannot tell which one is narrower',
      );
    else findings.loosens('', `the profile ${quoted(permit.id)} permits more now`);
  }
  for (const old of before) {
    const findings = findingsAbout(list, 'Profile', old.id);
    if (after.some((permit) => reaches(permit, old) && permit.when === old.when)) continue;
    if (old.when !== undefined && conditionTraits(old.when).canErr)
      findings.loosens(
        '/when',
        'its condition could fail and pause the write, and is now evaluated less often',
      );
    else findings.tightens('', `the profile ${quoted(old.id)} permits less`);
  }
}

/** Whether the outer permit applies, and enforces, whenever the inner one does. */
function reaches(outer: ProfileDocument, inner: ProfileDocument): boolean {
  return appliesWherever(outer, inner) && enforcesNoLater(outer, inner);
}

/** Whether only the condition could permit more, and neither condition is known to be wider. */
function differsInCondition(old: ProfileDocument, permit: ProfileDocument): boolean {
  if (old.when === undefined || permit.when === undefined || isAsWide(permit.when, old.when)) return false;
  return reaches({ ...old, when: permit.when }, permit);
}
