/** Whether nothing is permitted that was not permitted before. */
import type { ProfileDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { enforcesNoLater } from './compare-modes.ts';
import { conditionTraits } from './condition-traits.ts';
import { appliesWherever } from './cover-match.ts';
import { type Finding, findingsAbout } from './findings.ts';

export function comparePermits(
  before: readonly ProfileDocument[],
  after: readonly ProfileDocument[],
  list: Finding[],
): void {
  for (const permit of after) {
    if (before.some((old) => reaches(old, permit))) continue;
    const news = before.some(({ id }) => id === permit.id)
      ? 'permits more now'
      : 'permits writes that it did not permit before';
    findingsAbout(list, 'Profile', permit.id).loosens('', `the profile ${quoted(permit.id)} ${news}`);
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

/** Whether the outer permit applies, and enforces, wherever and whenever the inner one does. */
function reaches(outer: ProfileDocument, inner: ProfileDocument): boolean {
  return appliesWherever(outer, inner) && enforcesNoLater(outer, inner);
}
