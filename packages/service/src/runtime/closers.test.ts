import { expect, test } from 'vitest';
import { createLog } from '../support/observability/log.ts';
import { Closers } from './closers.ts';

test('the part opened last closes first, even if another part does not close, and only once', async () => {
  let logged = '';
  const closed: string[] = [];
  const closers = new Closers(
    createLog('warn', (line) => {
      logged += line;
    }),
  );
  closers.add(() => closed.push('store'));
  closers.add(() => Promise.reject(new Error('it hangs')));
  closers.add(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    closed.push('server');
  });
  await closers.close();
  await closers.close();
  expect(closed).toEqual(['server', 'store']);
  expect(logged).toContain('it hangs');
});
