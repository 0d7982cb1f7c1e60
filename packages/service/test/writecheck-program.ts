/** What a test gives Node to run `writecheck`: the bundle of this test run, or the sources if there is none. */
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, '../../cli/src/writecheck.ts');
const BUNDLE = process.env.WRITECHECK_TEST_PROGRAM ?? '';

/** Gives a program that a test starts without `spawn-service.ts` the same compile cache. */
export const COMPILED: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
};

export const WRITECHECK: readonly string[] =
  BUNDLE === '' ? ['--conditions=writecheck-source', SOURCE] : [BUNDLE];
