/** The class of a change, at every boundary of every rule. */
import { expect, test } from 'vitest';
import { bytesFrom, exportOf, linesFrom, type MadeDecision } from '../../test/export-kit.ts';
import { readColumns } from './columns.ts';
import { exportedFacts } from './exported-facts.ts';
import { readChanges } from './read-changes.ts';
import { reconcile } from './reconcile.ts';

const T = Date.UTC(2026, 10, 15, 21);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400 * SECOND;
const WINDOW = 15 * MINUTE;
const SKEW = 5 * SECOND;
const VALID = 5 * MINUTE;
const WRITE = { system: 'erp', objectType: 'vendor', objectRef: 'V-1', field: 'terms', agentValue: 'NET30' };

interface MadeChange {
  readonly at: number | string;
  readonly newValue?: string;
  readonly objectType?: string;
  readonly objectRef?: string;
}

let ids = 0;
function made(decision: Partial<MadeDecision> = {}): MadeDecision {
  ids += 1;
  return { id: `dec_${String(ids).padStart(4, '0')}`, atMs: T, intent: WRITE, ...decision };
}

async function reportOf(changes: readonly MadeChange[], decisions: readonly MadeDecision[]) {
  const lines = changes.map(({ at, ...rest }) => {
    const time = typeof at === 'number' ? new Date(at).toISOString() : at;
    const { agentValue: newValue, ...target } = WRITE;
    return JSON.stringify({ time, ...target, newValue, actor: 'svc', ...rest });
  });
  return reconcile({
    ...{ system: 'erp', windowMs: WINDOW, skewMs: SKEW },
    changes: readChanges(bytesFrom(lines.join('\n'), 64), await readColumns(undefined), 'changes'),
    facts: exportedFacts(linesFrom(exportOf(decisions)), 'the export'),
  });
}

/** The class of the one change. */
async function classOf(change: MadeChange, ...decisions: readonly MadeDecision[]): Promise<string> {
  const { classes } = await reportOf([change], decisions);
  return Object.entries(classes).find(([, count]) => count === 1)![0];
}

test('an allow of a live key stands behind a change, redeemed or not', async () => {
  expect(await classOf({ at: T }, made({ redeemedAtMs: T + 1 }))).toBe('redeemed');
  expect(await classOf({ at: T }, made())).toBe('allowed');
});

test('an observed allow and one of a development key have classes of their own, redeemed or not', async () => {
  for (const redeemed of [{}, { redeemedAtMs: T }]) {
    expect(await classOf({ at: T }, made({ evaluatedDecision: 'pause', ...redeemed }))).toBe('observed');
    expect(await classOf({ at: T }, made({ keyKind: 'development', ...redeemed }))).toBe('development');
    const both = made({ keyKind: 'development', evaluatedDecision: 'block', ...redeemed });
    expect(await classOf({ at: T }, both)).toBe('observed');
  }
});

test.each([
  [T - SKEW - 1, 'nobody_asked'],
  [T - SKEW, 'allowed'],
  [T, 'allowed'],
  [T + VALID + WINDOW, 'allowed'],
  [T + VALID + WINDOW + 1, 'late'],
  [T + VALID + WINDOW + DAY, 'late'],
  [T + VALID + WINDOW + DAY + 1, 'nobody_asked'],
])('an allow fits from `skew` before it to its window, and is late for a day: %i', async (at, expected) => {
  expect(await classOf({ at }, made())).toBe(expected);
});

test('validUntil counts, not five minutes', async () => {
  expect(await classOf({ at: T + 1 + WINDOW }, made({ validMs: 1 }))).toBe('allowed');
  expect(await classOf({ at: T + 2 + WINDOW }, made({ validMs: 1 }))).toBe('late');
});

test('a time finer than a millisecond is compared as it is', async () => {
  const end = new Date(T + VALID + WINDOW).toISOString();
  expect(await classOf({ at: end.replace('Z', '000Z') }, made())).toBe('allowed');
  expect(await classOf({ at: end.replace('Z', '001Z') }, made())).toBe('late');
  const early = new Date(T - SKEW - 1).toISOString();
  expect(await classOf({ at: early.replace('Z', '999Z') }, made())).toBe('nobody_asked');
});

test.each(['block', 'pause'] as const)(
  'a %s counts from a day before the change to `skew` after it',
  async (decision) => {
    for (const [at, expected] of [
      [T - SKEW - 1, 'nobody_asked'],
      [T - SKEW, `after_${decision}`],
      [T + DAY, `after_${decision}`],
      [T + DAY + 1, 'nobody_asked'],
    ] as const) {
      expect(await classOf({ at }, made({ decision })), String(at - T)).toBe(expected);
    }
  },
);

test('a decision for another value counts in the same time, whatever it was', async () => {
  for (const decision of ['allow', 'pause', 'block'] as const) {
    const newValue = 'NET60';
    expect(await classOf({ at: T - SKEW - 1, newValue }, made({ decision }))).toBe('nobody_asked');
    expect(await classOf({ at: T - SKEW, newValue }, made({ decision }))).toBe('other_value');
    expect(await classOf({ at: T + DAY, newValue }, made({ decision }))).toBe('other_value');
    expect(await classOf({ at: T + DAY + 1, newValue }, made({ decision }))).toBe('nobody_asked');
  }
});

test('a change gets the first class that holds', async () => {
  const other = made({ intent: { ...WRITE, agentValue: 'NET60' } });
  const pause = made({ decision: 'pause' });
  const block = made({ decision: 'block' });
  const late = made({ atMs: T - VALID - WINDOW - 1 });
  const development = made({ keyKind: 'development' });
  const observed = made({ evaluatedDecision: 'block' });
  const allowed = made();
  const redeemed = made({ redeemedAtMs: T });
  const inOrder = [
    [redeemed, 'redeemed'],
    [allowed, 'allowed'],
    [observed, 'observed'],
    [development, 'development'],
    [late, 'late'],
    [block, 'after_block'],
    [pause, 'after_pause'],
    [other, 'other_value'],
  ] as const;
  for (const [place, [, expected]] of inOrder.entries()) {
    const decisions = inOrder.slice(place).map(([decision]) => decision);
    expect(await classOf({ at: T }, ...decisions.reverse())).toBe(expected);
  }
});

test('an allow answers for one change, the oldest allow for the first change', async () => {
  const older = made({ atMs: T });
  const newer = made({ atMs: T + MINUTE });
  const at = T + VALID + WINDOW + MINUTE;
  // Only the newer one still fits; the older one is late for the second change.
  const report = await reportOf([{ at }, { at: at + 1 }, { at: at + 2 }], [newer, older]);
  expect(report.classes).toMatchObject({ allowed: 1, late: 1, nobody_asked: 1 });
  expect(report.findings.map(({ line, decision_id }) => [line, decision_id])).toEqual([
    [2, older.id],
    [3, null],
  ]);
  const both = await reportOf([{ at: T + MINUTE }], [newer, older]);
  expect(both).toMatchObject({ classes: { allowed: 1 }, notCarriedOut: 1 });
});

test('changes are taken by time, then by line, in whatever order the file has them', async () => {
  const decisions = [made({ validMs: 0 })];
  const late = { at: T + WINDOW + 1 };
  const first = await reportOf([late, { at: T }], decisions);
  expect(first.findings.map(({ line, class: found }) => [line, found])).toEqual([[1, 'nobody_asked']]);
  const second = await reportOf([{ at: T }, { at: T }], decisions);
  expect(second.findings.map(({ line, class: found }) => [line, found])).toEqual([[2, 'nobody_asked']]);
});

test('a finding names the newest decision concerned', async () => {
  const blocks = [0, 2, 1].map((minutes) => made({ decision: 'block', atMs: T + minutes * MINUTE }));
  const report = await reportOf(
    [{ at: T + 5 * MINUTE }],
    [...blocks, made({ decision: 'pause', atMs: T + 4 * MINUTE })],
  );
  expect(report.findings[0]).toMatchObject({ class: 'after_block', decision_id: blocks[1]!.id });
  const others = ['NET10', 'NET20', 'NET30', 'NET30'].map((agentValue, minutes) =>
    made({ decision: 'pause', atMs: T - 3 * DAY + minutes * DAY, intent: { ...WRITE, agentValue } }),
  );
  const other = await reportOf([{ at: T - 2 * DAY + 1, newValue: 'NET10' }], others);
  expect(other.findings[0]).toMatchObject({ class: 'other_value', decision_id: others[1]!.id });
});

test('object type, field and system are compared without the case of ASCII letters, the ref and the value exactly', async () => {
  const intent = { ...WRITE, system: 'ERP', objectType: 'Vendor', field: 'TERMS' };
  expect(await classOf({ at: T }, made({ intent }))).toBe('allowed');
  expect(await classOf({ at: T }, made({ intent: { ...WRITE, objectRef: 'v-1' } }))).toBe('nobody_asked');
  expect(await classOf({ at: T }, made({ intent: { ...WRITE, agentValue: 'net30' } }))).toBe('other_value');
  expect(await classOf({ at: T }, made({ intent: { ...WRITE, system: 'crm' } }))).toBe('nobody_asked');
  // The Kelvin sign is no ASCII K.
  const kelvin = made({ intent: { ...WRITE, objectType: 'ban\u212a' } });
  expect(await classOf({ at: T, objectType: 'bank' }, kelvin)).toBe('nobody_asked');
  expect(await classOf({ at: T, objectType: 'BAN\u212a' }, kelvin)).toBe('allowed');
  const composed = made({ intent: { ...WRITE, agentValue: '\u00e9' } });
  expect(await classOf({ at: T, newValue: 'e\u0301' }, composed)).toBe('other_value');
  expect(await classOf({ at: T, newValue: '\u00e9' }, composed)).toBe('allowed');
});

test('an intent without type, ref, field or value takes no part', async () => {
  for (const member of ['objectType', 'objectRef', 'field', 'agentValue'] as const) {
    for (const left of [{ [member]: null }, { [member]: undefined }]) {
      const decision = made({ intent: { ...WRITE, operation: 'vendor.update', ...left } });
      const report = await reportOf([{ at: T }], [decision]);
      expect(report).toMatchObject({
        classes: { nobody_asked: 1 },
        notCarriedOut: 0,
        decisions: { read: 1 },
      });
    }
  }
});

test('an allow between the first and the last change that answers for none was not carried out', async () => {
  const changes = [
    { at: T, objectRef: 'A' },
    { at: T + MINUTE, objectRef: 'B' },
  ];
  const at = (atMs: number) => made({ atMs, intent: { ...WRITE, objectRef: 'C' } });
  const reported = async (...decisions: MadeDecision[]) => (await reportOf(changes, decisions)).notCarriedOut;
  expect(await reported(at(T - 1), at(T + MINUTE + 1))).toBe(0);
  expect(await reported(at(T), at(T + MINUTE))).toBe(2);
  expect(await reported(made({ decision: 'pause' }), made({ intent: { ...WRITE, system: 'crm' } }))).toBe(0);
  expect(await reported(made({ keyKind: 'development' }), made({ evaluatedDecision: 'pause' }))).toBe(2);
});
