/** What a test gives Node to run `writecheck`: the bundle of this test run, or the sources where there is none. */
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, '../../cli/src/writecheck.ts');
const BUNDLE = process.env.WRITECHECK_TEST_PROGRAM ?? '';

export const WRITECHECK: readonly string[] =
  BUNDLE === '' ? ['--conditions=writecheck-source', SOURCE] : [BUNDLE];
