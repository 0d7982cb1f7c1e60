/** The service writes only kinds of entries that the verifier of the same version knows. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_KINDS, parseEntry } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { NOTED_SAMPLES } from '../../../ledger/test/noted-samples.ts';
import { notedEntries } from './new-entries.ts';

const PACKAGES = join(import.meta.dirname, '../../..');

test('every change that the service can write is read back as its own kind', () => {
  const written = notedEntries('w1', NOTED_SAMPLES).map(({ leaf }) => parseEntry(leaf)?.kind);
  expect(written).toEqual(NOTED_SAMPLES.map(({ kind }) => kind));
  const others = ['decision', 'redemption', 'continuation', 'review', 'person'];
  expect([...ENTRY_KINDS].sort()).toEqual([...others, ...written].sort());
});

test('only the writers of the ledger make entries, and they know every kind', () => {
  const writers = globSync('{cli,service,store}/src/**/*.ts', { cwd: PACKAGES })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) =>
      /\b(\w+EntryBytes|redemptionBytes|continuationBytes)\b/.test(
        readFileSync(join(PACKAGES, file), 'utf8'),
      ),
    );
  expect(writers.sort()).toEqual(['cli/src/operator/continue-store.ts', 'store/src/commit/new-entries.ts']);
});
