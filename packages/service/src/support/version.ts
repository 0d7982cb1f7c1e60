/**
 * The version of this package, as published. The file is one folder up from both the sources and the compiled code.
 */
import { readFileSync } from 'node:fs';

export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;
