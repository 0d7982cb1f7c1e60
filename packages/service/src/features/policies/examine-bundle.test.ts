import { expect } from 'vitest';
import { testInPart } from '../../../../../scripts/in-part.ts';
import { processorMs } from '../../../../../scripts/processor-ms.ts';
import { examineDocuments } from './examine-bundle.ts';

const faults = {
  part: 5_000,
  whole: 60_000,
  named: (count: string) => `${count} faults are told in short, and soon`,
};
testInPart(faults, (count) => {
  const members = Array.from({ length: count }, (_, index) => `k${index}: 1`).join('\n');
  const startedMs = processorMs();
  const examined = examineDocuments({
    kind: 'yaml',
    files: [{ file: 'a.yaml', bytes: Buffer.from(`kind: Profile\nid: x\n${members}\n`) }],
  });
  expect(processorMs() - startedMs).toBeLessThan(10_000);
  expect(examined.kind).toBe('invalid');
  if (examined.kind !== 'invalid') return;
  expect(examined.details).toHaveLength(501);
  expect(examined.details.at(-1)!.message).toBe(`and ${count - 500} more errors`);
  expect(examined.details[0]).toMatchObject({ file: 'a.yaml', line: 3 });
});
