import { expect, test } from 'vitest';
import { whyNotBuilt } from '../console-build.ts';

test('a failed console build is reported in one line, without the bundler’s advice', () => {
  const native = new Error(
    'Cannot find native binding. npm has a bug related to optional dependencies. Please try `npm i` again after removing both package-lock.json and node_modules directory.',
  );
  expect(whyNotBuilt(native)).toMatch(
    /^the console was not built \(Cannot find native binding\), so .* run `npm ci` on this machine$/,
  );
  expect(whyNotBuilt(new Error('no such file\n    at there'))).toBe(
    'the console was not built (no such file), so the service starts without it; run `npm run build --workspace packages/console` to see the whole error',
  );
});
