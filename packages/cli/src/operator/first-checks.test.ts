import { compile, EMPTY_SNAPSHOT } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { newKeyPair } from '../policy/evidence-key.ts';
import { starterFiles } from '../policy/starter.ts';
import { firstChecks } from './first-checks.ts';

const NOW_MS = Date.parse('2026-11-15T12:00:00Z');

function decisionsUnder(documents: readonly unknown[]): readonly string[] {
  const compiled = compile(documents);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return firstChecks(compiled.snapshot, NOW_MS).map(({ decided }) => decided.decision);
}

test('without a bundle the two checks are an allow and a pause', () => {
  const [allow, pause] = firstChecks(EMPTY_SNAPSHOT, NOW_MS);
  expect([allow!.decided.decision, pause!.decided.decision]).toEqual(['allow', 'pause']);
  expect(JSON.stringify(allow!.intent)).not.toContain('checkedAt');
});

test('under a bundle they supply what it requires', () => {
  expect(
    decisionsUnder([
      {
        kind: 'ControlPack',
        id: 'c',
        controls: { approval: { assurance: 'attested' }, ask: { maxAge: '5m' } },
      },
      { kind: 'Profile', id: 'p', match: { field: 'email' }, require: ['ask'], authority: 'required' },
    ]),
  ).toEqual(['allow', 'pause']);
});

test('under the starter bundle they decide as described', async () => {
  const files = Object.values(starterFiles(await newKeyPair('k')));
  const documents = files.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS()));
  expect(decisionsUnder(documents)).toEqual(['allow', 'pause']);
});

test('if a bundle requires signatures everywhere there is no allow to show, and none is claimed', () => {
  expect(
    decisionsUnder([
      { kind: 'ControlPack', id: 'c', controls: { ask: { assurance: 'attested' } } },
      { kind: 'Profile', id: 'p', require: ['ask'] },
    ]),
  ).toEqual(['pause']);
});
