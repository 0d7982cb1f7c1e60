import { expect, test } from 'vitest';
import { readPolicyYaml } from './read-policy-yaml.ts';

test('documents and places come from the thread as from the parser', async () => {
  const read = await readPolicyYaml('kind: Profile\nid: a\n---\nkind: Profile\nid: b\n');
  if (read.kind !== 'documents') throw new Error('it has no faults');
  expect(read.documents).toEqual([
    { kind: 'Profile', id: 'a' },
    { kind: 'Profile', id: 'b' },
  ]);
  expect(await read.locate([{ documentIndex: 1, pointer: '/id' }])).toEqual([{ line: 5, column: 5 }]);
});

test('a text made to be slow is given up, and the event loop goes on meanwhile', async () => {
  const slow = `${'['.repeat(1_000)}${'a,'.repeat(500_000)}`;
  let longestMs = 0;
  let beforeMs = performance.now();
  const ticking = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - beforeMs);
    beforeMs = performance.now();
  }, 5);
  const read = await readPolicyYaml(slow, 300);
  clearInterval(ticking);
  expect(read.kind === 'faults' && read.faults[0]!.message).toContain('takes too long');
  expect(longestMs).toBeLessThan(1_000);
});

test('a map of 100,000 names is read in time, and a duplicate in it is found', async () => {
  const names = Array.from({ length: 100_000 }, (_, at) => `k${at}: 1`).join('\n');
  const read = await readPolicyYaml(`${names}\nk7: 2\n`, 25_000);
  expect(read).toEqual({
    kind: 'faults',
    faults: [{ line: 100_001, column: 1, message: 'the member `k7` is there twice' }],
  });
});
