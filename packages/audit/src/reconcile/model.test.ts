/** Compares the streaming implementation with the naive one on generated histories. */
import { expect, test } from 'vitest';
import { testInPart } from '../../../../scripts/in-part.ts';
import { seededRandom } from '../../../../scripts/seeded-random.ts';
import { bytesFrom, exportOf, linesFrom } from '../../test/export-kit.ts';
import { changeLine, generatedHistory, madeDecision } from '../../test/generated-history.ts';
import { type ModelChange, type ModelDecision, modelClasses } from '../../test/reconcile-model.ts';
import { CHANGE_CLASSES } from './classes.ts';
import { readColumns } from './columns.ts';
import { exportedFacts } from './exported-facts.ts';
import { readChanges } from './read-changes.ts';
import { reconcile } from './reconcile.ts';

const FINDINGS = CHANGE_CLASSES.slice(4) as readonly string[];

async function reportOf(
  changes: readonly ModelChange[],
  decisions: readonly ModelDecision[],
  tolerances: { readonly windowMs: number; readonly skewMs: number },
) {
  const lines = changes.map((change) => `${changeLine(change)}\n`).join('');
  const columns = await readColumns(undefined);
  return reconcile({
    ...{ system: 'Erp', operations: new Map(), ...tolerances },
    changes: readChanges(
      bytesFrom(lines === '' ? 'time,objectType,objectRef,field,newValue' : lines, 4_096),
      columns,
      'changes',
    ),
    facts: exportedFacts(linesFrom(exportOf(decisions.map(madeDecision))), 'the export'),
  });
}

async function expectSame(
  { changes, decisions, ...tolerances }: ReturnType<typeof generatedHistory>,
  name: string,
): Promise<void> {
  const report = await reportOf(changes, decisions, tolerances);
  const { windowMs, skewMs } = tolerances;
  const { results, notCarriedOut } = modelClasses(changes, decisions, 'erp', windowMs, skewMs);
  const counts = Object.fromEntries(
    CHANGE_CLASSES.map((one) => [one, results.filter((result) => result.class === one).length]),
  );
  expect(report.classes, name).toEqual(counts);
  expect(report.notCarriedOut, name).toBe(notCarriedOut);
  const findings = report.findings.map(({ line, class: found, decision_id, doubleWrite = false }) => ({
    ...{ line, class: found, decision_id, isDouble: doubleWrite },
  }));
  expect(report.doubleWrites ?? 0, name).toBe(results.filter(({ isDouble }) => isDouble).length);
  const expected = results.filter((result) => FINDINGS.includes(result.class)).slice(0, 1_000);
  expect(findings, name).toEqual(expected);
}

testInPart(
  {
    part: 300,
    whole: 3_000,
    named: (count) => `${count} generated histories get the classes of the naive model`,
  },
  async (histories) => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= histories; seed += 1) {
      const history = generatedHistory(seed);
      await expectSame(history, `seed ${seed}`);
      const { results } = modelClasses(
        history.changes,
        history.decisions,
        'erp',
        history.windowMs,
        history.skewMs,
      );
      for (const result of results) seen.add(result.class);
    }
    expect([...seen].sort()).toEqual([...CHANGE_CLASSES].sort());
  },
);

test('one busy object with thousands of decisions a day also matches, although old decisions are dropped', async () => {
  const random = seededRandom(7);
  const T0 = Date.UTC(2026, 10, 1);
  const target = { objectType: 'vendor', objectRef: 'V-1', field: 'terms' };
  const at = () => T0 + Math.floor(random() * 20 * 86_400_000);
  const value = () => `v${Math.floor(random() ** 2 * 400)}`;
  const decisions = Array.from({ length: 4_000 }, (_, i): ModelDecision => {
    const T = at();
    const decision = (['allow', 'allow', 'pause', 'block'] as const)[i % 4]!;
    return {
      ...{ id: `dec_${i}`, T, validUntil: T + Math.floor(random() * 300_000), decision },
      ...{ evaluatedDecision: decision, keyKind: 'live', isRedeemed: i % 3 === 0 && decision === 'allow' },
      ...{ system: 'erp', ...target, agentValue: value() },
    };
  });
  const changes = Array.from({ length: 400 }, (_, i): ModelChange => {
    return { line: i + 1, t: at(), ...target, newValue: value() };
  });
  await expectSame({ windowMs: 900_000, skewMs: 5_000, changes, decisions }, 'busy');
});
