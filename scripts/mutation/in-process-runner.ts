/**
 * A test runner for Stryker that keeps the tests in memory, so that a mutant costs only the tests that cover it. Starting
 * vitest for each mutant takes a hundred times as long.
 */
import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import type { CollectedTest } from './collected-tests.ts';

const SHIM = new URL('./collected-tests.ts', import.meta.url).href;
const SUBPATHS: { readonly [specifier: string]: string } = {
  '@writecheck/client/evidence': 'packages/client/src/evidence.ts',
};

/** The globals through which Stryker talks to mutated code. */
interface Stryker {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: unknown;
}

interface MutantRun {
  readonly activeMutant: { readonly id: string };
  readonly testFilter?: readonly string[];
  readonly hitLimit?: number;
}

interface Options {
  readonly inProcess: {
    readonly tests: readonly string[];
    readonly exclude?: readonly string[];
    /** Parts of the titles of tests to skip: they measure time, or are slow and find nothing more. */
    readonly leaveOut?: readonly string[];
  };
}

const stryker: Stryker = {};
Object.assign(globalThis, { __stryker__: stryker });

class InProcessRunner {
  readonly #options: Options;
  #tests: readonly CollectedTest[] = [];
  readonly #spentMs = new Map<string, number>();

  constructor(options: Options) {
    this.#options = options;
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init(): Promise<void> {
    // `vitest` needs a worker, even if only `expect` is used.
    const config = { snapshotOptions: {}, fakeTimers: {}, expect: {}, sequence: {}, env: {} };
    Object.assign(globalThis, {
      __vitest_worker__: { config, environment: { name: 'node' }, metaEnv: process.env, ctx: {}, rpc: {} },
    });
    // A promise left by a killed mutant must not end the process.
    process.on('unhandledRejection', () => {});
    const sandbox = process.cwd();
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === 'vitest' && context.parentURL !== SHIM) return { url: SHIM, shortCircuit: true };
        // The links in node_modules point to the original sources, not the mutated ones.
        const [, name] = /^@writecheck\/(\w+)$/.exec(specifier) ?? [];
        const path = name === undefined ? SUBPATHS[specifier] : `packages/${name}/src/index.ts`;
        if (path === undefined) return next(specifier, context);
        return { url: pathToFileURL(resolve(sandbox, path)).href, shortCircuit: true };
      },
    });
    const { collect } = await import(SHIM);
    const { tests, exclude = [], leaveOut = [] } = this.#options.inProcess;
    const files = globSync([...tests], { cwd: sandbox, exclude: [...exclude] }).sort();
    const collected: CollectedTest[] = [];
    for (const file of files) {
      const url = pathToFileURL(resolve(sandbox, file)).href;
      collected.push(...(await collect(file, () => import(url))));
    }
    this.#tests = collected.filter(({ id }) => !leaveOut.some((part) => id.includes(part)));
  }

  async dryRun() {
    stryker.activeMutant = undefined;
    const results = [];
    for (const test of this.#tests) {
      stryker.currentTestId = test.id;
      const result = await this.#try(test);
      this.#spentMs.set(test.id, result.timeSpentMs);
      results.push(result);
    }
    stryker.currentTestId = undefined;
    return { status: 'complete', tests: results, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }: MutantRun) {
    const wanted = testFilter === undefined ? null : new Set(testFilter);
    const tests = this.#tests
      .filter(({ id }) => wanted === null || wanted.has(id))
      .sort((a, b) => (this.#spentMs.get(a.id) ?? 0) - (this.#spentMs.get(b.id) ?? 0));
    let nrOfTests = 0;
    for (const test of tests) {
      Object.assign(stryker, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
      const result = await this.#try(test);
      const hits = stryker.hitCount ?? 0;
      Object.assign(stryker, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
      nrOfTests += 1;
      if (hitLimit !== undefined && hits > hitLimit)
        return { status: 'timeout', reason: 'hit limit reached' };
      if (result.status === SUCCESS) continue;
      if (result.hung) return { status: 'timeout', reason: `${test.id} does not end` };
      // INVARIANT: a failure comes from this mutant, not from state that an earlier one left in the process.
      if ((await this.#try(test)).status === FAILED) throw new Error(`${test.id} fails without a mutant`);
      const { failureMessage } = result;
      return { status: 'killed', failureMessage, killedBy: [test.id], nrOfTests };
    }
    return { status: 'survived', nrOfTests };
  }

  async #try(test: CollectedTest) {
    const { id, file: fileName } = test;
    const startMs = performance.now();
    const spent = () => performance.now() - startMs;
    const timeout = SLACK_MS + SLACK_FACTOR * (this.#spentMs.get(id) ?? SLACK_MS);
    try {
      Object.assign(globalThis, { __writecheckTest: test.run });
      // Ends an endless loop here; Stryker's own timeout ends the process if a test waits forever.
      await START.runInThisContext({ timeout: Math.ceil(timeout) });
      return { id, name: id, fileName, status: SUCCESS, timeSpentMs: spent() } as const;
    } catch (error) {
      const failureMessage = error instanceof Error ? error.message : String(error);
      const hung = (error as { readonly code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      return { id, name: id, fileName, status: FAILED, timeSpentMs: spent(), failureMessage, hung } as const;
    }
  }
}

const START = new Script('__writecheckTest()');
/** How much longer than without a mutant a test may take before it counts as endless. */
const SLACK_MS = 4_000;
const SLACK_FACTOR = 30;

/** Stryker's numbers for results. */
const SUCCESS = 0;
const FAILED = 1;

const factory = Object.assign((options: Options) => new InProcessRunner(options), { inject: ['options'] });
export const strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', factory }];
export const strykerValidationSchema = {
  properties: {
    inProcess: {
      type: 'object',
      additionalProperties: false,
      required: ['tests'],
      properties: {
        tests: { type: 'array', items: { type: 'string' } },
        exclude: { type: 'array', items: { type: 'string' } },
        leaveOut: { type: 'array', items: { type: 'string' } },
      },
    },
  },
};
