/** The class of a change, at every boundary of every rule. */
import { expect, test } from 'vitest';
import { bytesFrom, exportOf, linesFrom, type MadeDecision } from '../../test/export-kit.ts';
import { readColumns } from './columns.ts';
import { exportedFacts } from './exported-facts.ts';
import type { Operations } from './operations.ts';
import { readChanges } from './read-changes.ts';
import { reconcile } from './reconcile.ts';
import { exitCodeOf } from './report.ts';
import { reportText } from './report-text.ts';

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
  readonly operation?: string;
}

const columns = readColumns(undefined).then((all) => ({
  ...all,
  operation: { kind: 'column', name: 'operation' } as const,
}));

let ids = 0;
function made(decision: Partial<MadeDecision> = {}): MadeDecision {
  ids += 1;
  return { id: `dec_${String(ids).padStart(4, '0')}`, atMs: T, intent: WRITE, ...decision };
}

async function reportOf(
  changes: readonly MadeChange[],
  decisions: readonly MadeDecision[],
  operations: Operations = new Map(),
) {
  const lines = changes.map(({ at, ...rest }) => {
    const time = typeof at === 'number' ? new Date(at).toISOString() : at;
    const { agentValue: newValue, ...target } = WRITE;
    return JSON.stringify({ time, ...target, newValue, actor: 'svc', ...rest });
  });
  return reconcile({
    ...{ system: 'erp', windowMs: WINDOW, skewMs: SKEW, operations },
    changes: readChanges(bytesFrom(lines.join('\n'), 64), await columns, 'changes'),
    facts: exportedFacts(linesFrom(exportOf(decisions)), 'the export'),
  });
}

/** The class of the one change. */
async function classOf(change: MadeChange, ...decisions: readonly MadeDecision[]): Promise<string> {
  const { classes } = await reportOf([change], decisions);
  return Object.entries(classes).find(([, count]) => count === 1)![0];
}

test('an allow of a live key covers a change, redeemed or not', async () => {
  expect(await classOf({ at: T }, made({ redeemedAtMs: T + 1 }))).toBe('redeemed');
  expect(await classOf({ at: T }, made())).toBe('allowed');
});

test('an observed allow and one of a development key have separate classes, redeemed or not', async () => {
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

test('a change gets the first class that applies', async () => {
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

test('an allow covers one change, the oldest allow the first change', async () => {
  const older = made({ atMs: T });
  const newer = made({ atMs: T + MINUTE });
  const at = T + VALID + WINDOW + MINUTE;
  // Only the newer one still fits; the older one is late for the second change.
  const report = await reportOf([{ at }, { at: at + 1 }, { at: at + 2 }], [newer, older]);
  expect(report.classes).toMatchObject({ allowed: 1, late: 1, nobody_asked: 1 });
  expect(report.findings.map(({ line, decision_id }) => [line, decision_id])).toEqual([
    [2, older.id],
    [3, newer.id],
  ]);
  const both = await reportOf([{ at: T + MINUTE }], [newer, older]);
  expect(both).toMatchObject({ classes: { allowed: 1 }, notCarriedOut: 1 });
});

test('a second write under one allow is a double write of that allow, whatever else was decided', async () => {
  const allow = made();
  const unrelated = made({ atMs: T + MINUTE, decision: 'pause', intent: { ...WRITE, agentValue: 'NET60' } });
  for (const [others, expected] of [
    [[], 'nobody_asked'],
    [[unrelated], 'other_value'],
  ] as const) {
    const report = await reportOf([{ at: T }, { at: T + 2 * MINUTE }], [allow, ...others]);
    expect(report).toMatchObject({ classes: { allowed: 1, [expected]: 1 }, doubleWrites: 1 });
    expect(report.findings).toMatchObject([{ line: 2, decision_id: allow.id, doubleWrite: true }]);
    expect(reportText(report)).toContain(
      `double write  vendor \`V-1\` terms, by svc; ${allow.id} allowed one`,
    );
    expect(exitCodeOf(report)).toBe(5);
  }
});

test('repeating an earlier value is a double write for a day after its window, then an unchecked write', async () => {
  const report = (at: number) => reportOf([{ at: T }, { at }], [made()]);
  const end = T + VALID + WINDOW + DAY;
  expect((await report(end)).doubleWrites).toBe(1);
  expect((await report(end + 1)).doubleWrites).toBeUndefined();
  const blocked = await reportOf([{ at: T }, { at: T + 1 }], [made(), made({ decision: 'block' })]);
  expect(blocked).toMatchObject({ classes: { after_block: 1 } });
  expect(blocked.doubleWrites).toBeUndefined();
});

const REFUND = {
  system: 'erp',
  operation: 'Refund.create',
  metadata: { context: { order: 'O-1', amount: 99.5 } },
};
const OPERATIONS: Operations = new Map([
  ['refund.create', { objectRef: 'metadata.context.order', value: 'metadata.context.amount' }],
  ['vendor.delete', { objectRef: 'objectRef', value: null }],
]);

test('an operation is compared by the members that the mapping names; without a mapping it is skipped and counted', async () => {
  const refund = { at: T, operation: 'REFUND.CREATE', objectRef: 'O-1', newValue: '99.5' };
  const decision = made({ intent: REFUND });
  const mapped = (change: MadeChange, ...decisions: MadeDecision[]) =>
    reportOf([change], decisions, OPERATIONS);
  const covered = await mapped(refund, decision);
  expect(covered).toMatchObject({ classes: { allowed: 1 }, notCarriedOut: 0 });
  expect(covered.byField).toEqual([
    { objectType: 'vendor', field: 'terms', operation: 'refund.create', classes: { allowed: 1 } },
  ]);
  expect(exitCodeOf(covered)).toBe(0);
  expect(await mapped({ ...refund, newValue: '99' }, decision)).toMatchObject({
    classes: { other_value: 1 },
  });
  const unasked = await mapped({ ...refund, objectRef: 'O-2' }, decision);
  expect(unasked).toMatchObject({ classes: { nobody_asked: 1 }, notCarriedOut: 1 });
  expect(reportText(unasked)).toContain('nobody_asked  REFUND.CREATE `O-2`, by svc');
  const skipped = await reportOf([refund], [decision]);
  expect(skipped).toMatchObject({
    ...{ classes: { nobody_asked: 0 }, notComparable: { changes: 1, decisions: 1 }, findings: [] },
    ...{ notCarriedOut: 0, from: null },
  });
  expect(exitCodeOf(skipped)).toBe(2);
  expect(reportText(skipped)).toMatch(/1 {2}change of operations not compared/);
});

test('an operation without a value is compared by its object, and its decision needs every mapped member', async () => {
  const deletion = { system: 'erp', operation: 'vendor.delete', objectRef: 'V-9' };
  const change = { at: T, operation: 'vendor.delete', objectRef: 'V-9', newValue: 'anything' };
  const report = await reportOf([change], [made({ intent: deletion })], OPERATIONS);
  expect(report.classes.allowed).toBe(1);
  for (const context of [{ order: 'O-1' }, { order: 'O-1', amount: null }, { order: ['O-1'], amount: 1 }]) {
    const intent = { ...REFUND, metadata: { context } };
    const lacking = await reportOf([change], [made({ intent })], OPERATIONS);
    expect(lacking).toMatchObject({ classes: { nobody_asked: 1 }, notComparable: { decisions: 1 } });
  }
});

test('a write of a field and an operation never cover each other', async () => {
  const write = { ...WRITE, operation: 'vendor.delete' };
  expect(await classOf({ at: T }, made({ intent: write }))).toBe('allowed');
  const mapped = await reportOf([{ at: T }], [made({ intent: write })], OPERATIONS);
  expect(mapped).toMatchObject({ classes: { nobody_asked: 1 } });
});

test('changes are processed by time, then by line, whatever their order in the file', async () => {
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

test('object type, field and system are compared case-insensitively in ASCII, the ref and the value exactly', async () => {
  const intent = { ...WRITE, system: 'ERP', objectType: 'Vendor', field: 'TERMS' };
  expect(await classOf({ at: T }, made({ intent }))).toBe('allowed');
  expect(await classOf({ at: T }, made({ intent: { ...WRITE, objectRef: 'v-1' } }))).toBe('nobody_asked');
  expect(await classOf({ at: T }, made({ intent: { ...WRITE, agentValue: 'net30' } }))).toBe('other_value');
  expect(await classOf({ at: T }, made({ intent: { ...WRITE, system: 'crm' } }))).toBe('nobody_asked');
  // The Kelvin sign is not an ASCII K.
  const kelvin = made({ intent: { ...WRITE, objectType: 'ban\u212a' } });
  expect(await classOf({ at: T, objectType: 'bank' }, kelvin)).toBe('nobody_asked');
  expect(await classOf({ at: T, objectType: 'BAN\u212a' }, kelvin)).toBe('allowed');
  const composed = made({ intent: { ...WRITE, agentValue: '\u00e9' } });
  expect(await classOf({ at: T, newValue: 'e\u0301' }, composed)).toBe('other_value');
  expect(await classOf({ at: T, newValue: '\u00e9' }, composed)).toBe('allowed');
});

test('an intent without type, ref, field or value is ignored', async () => {
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

test('an allow between the first and the last change that covers none was not carried out', async () => {
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
