/**
 * Lets a service inside of a test start its threads from the bundle of the test run, so that each loads a few
 * files instead of 200.
 */
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import workerThreads from 'node:worker_threads';

const ROOT = new URL('..', import.meta.url).href;
const PROGRAM = process.env.WRITECHECK_TEST_PROGRAM ?? '';
const BUNDLE = PROGRAM === '' ? null : new URL('../../..', pathToFileURL(PROGRAM)).href;

/** The bundled file of a thread; any other URL stays unchanged. */
function bundled(file: string | URL): string | URL {
  if (BUNDLE === null || !(file instanceof URL) || !file.href.startsWith(ROOT)) return file;
  const other = new URL(file.href.slice(ROOT.length).replace(/\.ts$/, '.js'), BUNDLE);
  return existsSync(fileURLToPath(other)) ? other : file;
}

const { Worker } = workerThreads;
workerThreads.Worker = class extends Worker {
  constructor(file: string | URL, options?: workerThreads.WorkerOptions) {
    super(bundled(file), options);
  }
};
syncBuiltinESMExports();
