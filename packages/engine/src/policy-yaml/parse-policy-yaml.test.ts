import { expect, test } from 'vitest';
import { parsePolicyYaml } from './parse-policy-yaml.ts';

test('documents become the plain data that JSON would give, empty ones omitted', () => {
  const parsed = parsePolicyYaml(
    '---\n---\nkind: Profile\nid: "1"\nlist: [1, 1.5, true, null, on, 2026-11-15]\n---\n# nothing\n',
  );
  expect(parsed.kind === 'documents' && parsed.documents).toEqual([
    { kind: 'Profile', id: '1', list: [1, 1.5, true, null, 'on', '2026-11-15'] },
  ]);
});

test('a place within a document is found by its pointer, a missing member at its parent', () => {
  const parsed = parsePolicyYaml('kind: A\n---\nkind: B\nmatch:\n  system: [erp,\n    crm]\n  a/b: 1\n');
  if (parsed.kind !== 'documents') throw new Error('it has no faults');
  expect(parsed.placeOf(1, '/match/system/1')).toEqual({ line: 6, column: 5 });
  expect(parsed.placeOf(1, '/match/a~1b')).toEqual({ line: 7, column: 8 });
  expect(parsed.placeOf(1, '/match/field')).toEqual({ line: 5, column: 3 });
  expect(parsed.placeOf(1, '')).toEqual({ line: 3, column: 1 });
  expect(parsed.placeOf(7, '')).toBeNull();
});

test('every error of a text is listed with its place', () => {
  const parsed = parsePolicyYaml('a: 1\na: 2\n---\nb: .nan\nc: 9007199254740993\n? [x]\n: y\n');
  expect(parsed.kind === 'faults' && parsed.faults.map(({ line }) => line)).toEqual([2, 4, 5, 6]);
});

test('a text with many errors gets a short list, one nested too deeply a single line', () => {
  for (const deep of [`a: ${'['.repeat(20_000)}`, `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`]) {
    expect(parsePolicyYaml(deep)).toMatchObject({
      kind: 'faults',
      faults: [{ message: 'the text is nested too deeply' }],
    });
  }
  const broken = parsePolicyYaml('- {'.repeat(500));
  if (broken.kind !== 'faults') throw new Error('it has faults');
  expect(broken.faults).toHaveLength(21);
  expect(broken.faults.at(-1)!.message).toMatch(/^and \d+ more errors/);
});

test('any text gives a value, never an exception', () => {
  const pieces = [
    'a',
    ':',
    ' ',
    '\n',
    '-',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&a',
    '*a',
    '!!x',
    '|',
    '>',
    '---',
    '\t',
    '%YAML',
    '<<',
    '?',
    '#',
    '\u0000',
    '\ud800',
  ];
  let state = 7;
  for (let round = 0; round < 3_000; round += 1) {
    let text = '';
    for (let length = 0; length < 20; length += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      text += pieces[(state >>> 8) % pieces.length];
    }
    expect(['documents', 'faults']).toContain(parsePolicyYaml(text).kind);
  }
});
