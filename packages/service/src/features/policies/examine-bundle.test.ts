import { expect, test } from 'vitest';
import { processorMs } from '../../../../../scripts/processor-ms.ts';
import { examineDocuments } from './examine-bundle.ts';

test('tens of thousands of faults are told in short, and soon', () => {
  const members = Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join('\n');
  const startedMs = processorMs();
  const examined = examineDocuments({
    kind: 'yaml',
    files: [{ file: 'a.yaml', bytes: Buffer.from(`kind: Profile\nid: x\n${members}\n`) }],
  });
  expect(processorMs() - startedMs).toBeLessThan(10_000);
  expect(examined.kind).toBe('invalid');
  if (examined.kind !== 'invalid') return;
  expect(examined.details).toHaveLength(501);
  expect(examined.details.at(-1)!.message).toBe('and 59500 more errors');
  expect(examined.details[0]).toMatchObject({ file: 'a.yaml', line: 3 });
});
