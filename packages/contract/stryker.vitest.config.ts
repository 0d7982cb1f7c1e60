/** The tests a mutation run uses: not those of the schemas and the bundle, which are not mutated. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    exclude: ['src/browser-bundle.test.ts', 'src/schemas/**'],
    testTimeout: 30_000,
  },
});
