/** The commit that this program was built from; only a build knows it. */
import { readFileSync } from 'node:fs';

export const COMMIT: string = commit();

function commit(): string {
  try {
    return readFileSync(new URL('../commit', import.meta.url), 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
