import { beforeEach, expect, test, vi } from 'vitest';

type Page = { readonly freezes: readonly { readonly id: string }[]; readonly nextCursor: string | null };
const calls: { readonly query: object; readonly answer: (page: Page) => void }[] = [];

vi.mock('./api.ts', () => ({
  success: (value: unknown) => ({ kind: 'success', value }),
  call: (_: string, { query }: { readonly query: object }) =>
    new Promise((resolve) => {
      calls.push({ query, answer: (value) => resolve({ kind: 'success', value }) });
    }),
}));
vi.stubGlobal('document', { visibilityState: 'visible' });

const { activeFreezes, lookAtFreezes, readFreezes } = await import('./active-freezes.ts');

beforeEach(() => {
  calls.length = 0;
});

function idsOf(freezes: readonly { readonly id: string }[] | null) {
  return freezes?.map(({ id }) => id);
}

test('every page of the active freezes is read', async () => {
  const look = lookAtFreezes();
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  calls[0]!.answer({ freezes: [{ id: 'frz_3' }, { id: 'frz_2' }], nextCursor: 'after frz_2' });
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  expect(calls[1]!.query).toEqual({ state: 'active', cursor: 'after frz_2' });
  calls[1]!.answer({ freezes: [{ id: 'frz_1' }], nextCursor: null });
  await look;
  expect(idsOf(activeFreezes.get())).toEqual(['frz_3', 'frz_2', 'frz_1']);
});

test('a look that was overtaken does not take a new freeze off the banner', async () => {
  const [early, late] = [lookAtFreezes(), lookAtFreezes()];
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  calls[1]!.answer({ freezes: [{ id: 'frz_new' }], nextCursor: null });
  calls[0]!.answer({ freezes: [], nextCursor: null });
  await Promise.all([early, late]);
  expect(idsOf(activeFreezes.get())).toEqual(['frz_new']);
});

test('a list of the past ends at its limit', async () => {
  const reading = readFreezes('all', 2);
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  calls[0]!.answer({ freezes: [{ id: 'frz_2' }, { id: 'frz_1' }], nextCursor: 'more' });
  expect(await reading).toMatchObject({ value: [{ id: 'frz_2' }, { id: 'frz_1' }] });
  expect(calls).toHaveLength(1);
});
