/**
 * Checks that every limit stops at least what it stopped before. A limit only restricts, so a new one never loosens.
 */
import type { LimitDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { compareModes, onlyWatches } from './compare-modes.ts';
import { canFail, mayExhaustBudget } from './condition-traits.ts';
import { coversMatch } from './cover-match.ts';
import { type Finding, type Findings, findingsAbout } from './findings.ts';

export function compareLimits(
  before: readonly LimitDocument[],
  after: readonly LimitDocument[],
  list: Finding[],
): void {
  const next = new Map(after.map((limit) => [limit.id, limit]));
  // Limits share a budget: removing a condition may leave enough of it for the next one, which paused without
  // it.
  const mayStarve = mayExhaustBudget(
    before.flatMap((limit) => (limit.when === undefined || onlyWatches(limit) ? [] : [limit.when])),
  );
  for (const old of before) {
    const kept = next.get(old.id);
    next.delete(old.id);
    // A limit that only observes stops nothing, so nothing can be lost.
    if (onlyWatches(old)) continue;
    const findings = findingsAbout(list, 'Limit', old.id);
    if (kept === undefined) findings.loosens('', `the limit ${quoted(old.id)} was removed`);
    else compareLimit(old, kept, mayStarve, findings);
  }
  for (const limit of next.values())
    findingsAbout(list, 'Limit', limit.id).tightens('', `the limit ${quoted(limit.id)} is new`);
}

function compareLimit(
  before: LimitDocument,
  after: LimitDocument,
  mayStarve: boolean,
  findings: Findings,
): void {
  compareModes(before, after, findings);
  if (!coversMatch({ match: after.match ?? {} }, { match: before.match ?? {} }))
    findings.loosens('/match', 'it counts fewer writes');
  if (after.when !== undefined && after.when !== before.when)
    findings.loosens('/when', before.when === undefined ? 'it has a condition now' : 'its condition changed');
  else if (after.when === undefined && before.when !== undefined && (mayStarve || canFail(before.when)))
    findings.loosens(
      '/when',
      'the removed condition could pause the write by failing, or by making another condition fail',
    );
  if (after.max > before.max)
    findings.loosens('/max', `its maximum rises from ${before.max} to ${after.max}`);
  else if (after.max < before.max)
    findings.tightens('/max', `its maximum falls from ${before.max} to ${after.max}`);
  for (const member of ['by', 'sum', 'per'] as const)
    if (JSON.stringify(before[member]) !== JSON.stringify(after[member]))
      findings.loosens(`/${member}`, `\`${member}\` changed, so it counts from zero`);
  compareBeyond(before.beyond ?? 'pause', after.beyond ?? 'pause', findings);
}

type Beyond = NonNullable<LimitDocument['beyond']>;

function compareBeyond(before: Beyond, after: Beyond, findings: Findings): void {
  const strength = (beyond: Beyond) => (beyond === 'block' ? 2 : beyond === 'pause' ? 1 : 0);
  if (strength(after) < strength(before)) findings.loosens('/beyond', 'it does less to a write beyond it');
  else if (strength(after) > strength(before))
    findings.tightens('/beyond', 'it does more to a write beyond it');
  if (typeof before !== 'object' || typeof after !== 'object') return;
  if (!before.require.every((control) => after.require.includes(control)))
    findings.loosens('/beyond/require', 'it requires other controls of a write beyond it');
}
