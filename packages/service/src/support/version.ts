/**
 * The version of this package, as published, and the commit it was built from. `package.json` is one folder up from
 * both the sources and the compiled code; only a build knows its commit.
 */
import { readFileSync } from 'node:fs';

export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;

export const COMMIT: string = commit();

function commit(): string {
  try {
    return readFileSync(new URL('../commit', import.meta.url), 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
