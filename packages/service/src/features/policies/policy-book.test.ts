import { compile } from '@writecheck/engine';
import type { StoredPolicy } from '@writecheck/store/port';
import { afterAll, expect, test } from 'vitest';
import { PolicyBook } from './policy-book.ts';
import { PolicyJobs } from './policy-jobs.ts';

function stored(id: string): StoredPolicy {
  const compiled = compile([{ kind: 'Profile', id, require: ['identity'] }]);
  if (compiled.kind === 'invalid') throw new Error('the bundle of this test is not valid');
  return {
    workspace: 'w',
    revision: 1,
    digest: compiled.digest,
    authorKeyId: null,
    authorPersonId: null,
    createdAtMs: 0,
    rollbackOf: null,
    message: null,
    documents: JSON.stringify(compiled.documents),
  };
}

const jobs = new PolicyJobs();
afterAll(() => jobs.close());

test('a bundle is read once, and served from memory from then on', async () => {
  let reads = 0;
  const book = new PolicyBook(
    {
      currentPolicy: async () => {
        reads += 1;
        return stored('a');
      },
    },
    jobs,
  );
  const [first, second] = await Promise.all([book.snapshotOf('w'), book.snapshotOf('w')]);
  expect(first).toBe(second);
  expect(book.inMemory('w')).toBe(first);
  expect(reads).toBe(1);
});

test('a read from before a change is not kept after it', async () => {
  const reads: ((policy: StoredPolicy) => void)[] = [];
  const book = new PolicyBook({ currentPolicy: () => new Promise((resolve) => reads.push(resolve)) }, jobs);
  const before = book.snapshotOf('w');
  book.follow({ kind: 'policy', workspace: 'w' });
  const after = book.snapshotOf('w');
  reads[1]!(stored('new'));
  reads[0]!(stored('old'));
  expect((await before).digest).toBe(stored('old').digest);
  expect((await after).digest).toBe(stored('new').digest);
  expect((await book.snapshotOf('w')).digest).toBe(stored('new').digest);
});

test('a store that lost sight of changes empties the book, a key change does not', async () => {
  let reads = 0;
  const book = new PolicyBook(
    {
      currentPolicy: async () => {
        reads += 1;
        return null;
      },
    },
    jobs,
  );
  await book.snapshotOf('w');
  book.follow({ kind: 'key', workspace: 'w', keyId: 'k' });
  await book.snapshotOf('w');
  expect(reads).toBe(1);
  book.follow({ kind: 'everything' });
  await book.snapshotOf('w');
  expect(reads).toBe(2);
});

test('a bundle that no longer compiles to its digest decides nothing, and is loaded again', async () => {
  let policy: StoredPolicy = { ...stored('a'), digest: 'sha256:other' };
  const book = new PolicyBook({ currentPolicy: async () => policy }, jobs);
  await expect(book.snapshotOf('w')).rejects.toThrow('does not compile');
  policy = { ...stored('a'), documents: '[{"kind":"Nonsense"}]' };
  await expect(book.snapshotOf('w')).rejects.toThrow('does not compile');
  policy = stored('a');
  expect((await book.snapshotOf('w')).digest).toBe(policy.digest);
});

test('memory is bounded: bundles loaded long ago make room', async () => {
  let reads = 0;
  const documents = `[${' '.repeat(4 * 1024 * 1024)}${stored('a').documents.slice(1)}`;
  const book = new PolicyBook(
    {
      currentPolicy: async () => {
        reads += 1;
        return { ...stored('a'), documents };
      },
    },
    jobs,
  );
  for (const workspace of ['a', 'b', 'c', 'd', 'e']) await book.snapshotOf(workspace);
  expect(reads).toBe(5);
  await book.snapshotOf('e');
  expect(reads).toBe(5);
  await book.snapshotOf('a');
  expect(reads).toBe(6);
});

test('a revision that another process just applied is loaded when a request names its digest', async () => {
  let current = stored('old');
  const book = new PolicyBook({ currentPolicy: async () => current }, jobs);
  const old = await book.snapshotOf('w');
  current = stored('new');
  expect(await book.snapshotOfRunning('w', stored('old').digest)).toBe(old);
  expect((await book.snapshotOfRunning('w', stored('new').digest)).digest).toBe(stored('new').digest);
  expect((await book.snapshotOf('w')).digest).toBe(stored('new').digest);
});
