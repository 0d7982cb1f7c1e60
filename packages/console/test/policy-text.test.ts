/** The page reads policy texts as the service does, and loses nothing. */
import { compile, type PolicyDocument } from '@writecheck/engine';
import { parsePolicyYaml } from '@writecheck/engine/policy-yaml';
import { expect, test } from 'vitest';
import { examinePolicies } from '../src/components/policy/examine-policies.ts';
import { lineDifference } from '../src/components/policy/line-difference.ts';
import { printDocuments, readYaml } from '../src/components/policy/read-yaml.ts';
import { FIRST_BUNDLE } from '../src/pages/policies/first-bundle.ts';
import { highlightYaml } from '../src/pages/policies/highlight-yaml.ts';

const DOCUMENTS = [
  { kind: 'Workflow', id: 'w', profiles: ['p'], require: ['dual'] },
  {
    kind: 'ControlPack',
    id: 'core',
    version: '1',
    controls: { identity: { maxAge: '15m', sources: ['okta'] }, approval: { onUnmet: 'block' } },
  },
  { kind: 'Profile', id: 'p', match: { system: 'erp' }, require: ['identity', 'approval'] },
  { kind: 'Defaults', unmatched: 'pause' },
] as const satisfies readonly PolicyDocument[];

test.each([
  ['kind: Profile\nid: p\n---\n# nothing\n---\nkind: Workflow\nid: w\n'],
  ['a: &x 1\nb: *x\n'],
  ['a: 1\na: 2\n'],
  ['__proto__: 1\n'],
  ['a: 99999999999999999999\nb: .inf\nc: 2026-01-01\n'],
  ['a: [1, 2\nb: }\n'],
  ['? [1]\n: 2\n'],
  ['when: |\n  intent.system == "x"\nid: p\n'],
  [''],
  ['a: [}\n---\n'.repeat(30)],
])('the page reads a text as the service does: %j', (text) => {
  const [here, there] = [readYaml(text), parsePolicyYaml(text)];
  expect({ ...here, placeOf: null, linesOf: null }).toEqual({ ...there, placeOf: null, linesOf: null });
  if (here.kind !== 'documents' || there.kind !== 'documents') return;
  for (const pointer of ['', '/id', '/missing/member'])
    for (const [at] of here.documents.entries())
      expect(here.placeOf(at, pointer)).toEqual(there.placeOf(at, pointer));
});

test('a text that is nested too deeply has one clear error', () => {
  const read = readYaml('- '.repeat(3_000));
  const message = 'the text is nested too deeply';
  expect(read).toEqual({ kind: 'faults', faults: [{ line: 1, column: expect.any(Number), message }] });
});

test('the printed text is the same bundle', () => {
  const read = readYaml(printDocuments(DOCUMENTS));
  if (read.kind !== 'documents') throw new Error('the printed text cannot be read');
  const [printed, given] = [compile(read.documents), compile(DOCUMENTS)];
  expect(printed).toMatchObject({ kind: 'snapshot' });
  expect(printed.kind === 'snapshot' && given.kind === 'snapshot' && printed.digest === given.digest).toBe(
    true,
  );
});

test('highlighting changes no character', () => {
  const text = `${printDocuments(DOCUMENTS)}# end\nwhen: |\n  a: "b"\n\n  c\nd: 'it''s' # x\n`;
  const lines = highlightYaml(text).map((tokens) => tokens.map((token) => token.text).join(''));
  expect(lines.join('\n')).toBe(text);
});

test('a line difference restores both texts', () => {
  const [before, after] = ['a\nb\nc\n', 'a\nx\nc\nd\n'];
  const lines = lineDifference(before, after);
  const side = (gone: string) => lines.filter(({ kind }) => kind !== gone).map(({ text }) => `${text}\n`);
  expect(side('added').join('')).toBe(before);
  expect(side('removed').join('')).toBe(after);
  expect(lines.filter(({ kind }) => kind === 'same')).toHaveLength(2);
});

test('removing a requirement loosens, marks the removed line, and has an example', async () => {
  const text = printDocuments(DOCUMENTS).replace('  - approval\n', '');
  const examined = await examinePolicies({ text, running: DOCUMENTS, workspace: 'ws_1', nowMs: 0 });
  if (examined.kind !== 'valid') throw new Error(JSON.stringify(examined));
  expect(examined.changes).toHaveLength(1);
  const [change] = examined.changes;
  expect(change).toMatchObject({ kind: 'Profile', id: 'p', change: 'changed' });
  expect(change!.lines.filter(({ loose }) => loose !== null).map((line) => line.text.trim())).toEqual([
    '- approval',
  ]);
  expect(examined.examples.length).toBeGreaterThan(0);
});

test('members in another order are not a change', async () => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, each]) => [name, turned(each)])
        .toReversed(),
    );
  };
  const running = DOCUMENTS.map(turned) as PolicyDocument[];
  const request = { running, workspace: 'ws_1', nowMs: 0 };
  const untouched = await examinePolicies({ ...request, text: printDocuments(DOCUMENTS) });
  expect(untouched).toMatchObject({ kind: 'valid', changes: [] });
  const tightened = printDocuments(DOCUMENTS).replace('15m', '5m');
  const examined = await examinePolicies({ ...request, text: tightened });
  if (examined.kind !== 'valid') throw new Error(JSON.stringify(examined));
  const changed = examined.changes.flatMap(({ lines }) => lines.filter(({ kind }) => kind !== 'same'));
  expect(changed.map(({ text }) => text.trim())).toEqual(['maxAge: 15m', 'maxAge: 5m']);
});

test('the first bundle does what its comments say, and its tests would catch it otherwise', async () => {
  const failing = async (text: string) => {
    const examined = await examinePolicies({ text, running: [], workspace: 'ws_1', nowMs: 0 });
    if (examined.kind !== 'valid') throw new Error(JSON.stringify(examined));
    expect(examined.tests).toHaveLength(3);
    return examined.tests.filter(({ faults }) => faults.length > 0).map(({ id }) => id);
  };
  const [pauses, allows] = [
    'without an identity check the write pauses',
    'with an identity check from the last 15 minutes the write is allowed',
  ];
  const changed = (from: string, to: string) => {
    expect(FIRST_BUNDLE).toContain(from);
    return FIRST_BUNDLE.replaceAll(from, to);
  };
  expect(await failing(FIRST_BUNDLE)).toEqual([]);
  expect(await failing(changed('require: [identity]\n', ''))).toEqual([pauses]);
  expect(await failing(changed('require: [refund_approval]\n', ''))).toEqual([
    'a refund over 100 waits for a person',
  ]);
  expect(await failing(changed('amount > 100.0', 'amount > 200.0'))).toEqual([
    'a refund over 100 waits for a person',
  ]);
  expect(await failing(changed('maxAge: 15m', 'maxAge: 5m'))).toEqual([allows]);
  // The bundle requires authority too, as its comment says.
  expect(await failing(changed('  authorityFound: true\n', ''))).toEqual([allows, pauses]);
});

test('a changed review rule names the controls whose reviews end; any other change names none', async () => {
  const bundle = (control: object) =>
    [
      {
        kind: 'ControlPack',
        id: 'core',
        version: '1',
        controls: { approval: { assurance: 'attested', ...control } },
      },
    ] as const;
  const outdated = async (before: object, after: object) => {
    const text = printDocuments(bundle(after) as never);
    const found = await examinePolicies({
      text,
      running: bundle(before) as never,
      workspace: 'ws_1',
      nowMs: 0,
    });
    if (found.kind === 'invalid') throw new Error(found.faults[0]?.message);
    return found.outdatedReviews;
  };
  const review = { identity: 'any' };
  expect(await outdated({ review }, { review: { identity: 'passkey' } })).toEqual(['approval']);
  expect(await outdated({ review }, {})).toEqual(['approval']);
  expect(await outdated({ review }, { review, maxAge: '1h' })).toEqual([]);
  expect(await outdated({}, { review })).toEqual([]);
});
