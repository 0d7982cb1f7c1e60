/** The tests a mutation run uses: those beside the files, which are quick and need no build. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['writecheck-source', 'module', 'browser', 'development|production'] },
  ssr: { resolve: { conditions: ['writecheck-source', 'node', 'module', 'development|production'] } },
  test: { include: ['src/**/*.test.ts'], testTimeout: 10_000 },
});
