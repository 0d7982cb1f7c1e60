import { expect, test } from 'vitest';
import { whyNotBuilt } from '../console-build.ts';

test('why a console was not built is one line, without advice that is for another situation', () => {
  const native = new Error(
    'Cannot find native binding. npm has a bug related to optional dependencies. Please try `npm i` again after removing both package-lock.json and node_modules directory.',
  );
  expect(whyNotBuilt(native)).toMatch(
    /^the console was not built \(Cannot find native binding\), and .* run `npm ci` on this machine$/,
  );
  expect(whyNotBuilt(new Error('no such file\n    at there'))).toBe(
    'the console was not built (no such file), and the service starts without it; run `npm run build --workspace packages/console` to see the whole error',
  );
});
