/** Undoes, after each test file, what it changed for the whole process: the next file runs in the same one. */
import { afterAll, vi } from 'vitest';

const ENVIRONMENT = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in ENVIRONMENT)) delete process.env[name];
  Object.assign(process.env, ENVIRONMENT);
  process.exitCode = undefined;
});
