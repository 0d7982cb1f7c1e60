/** The version of this package, as published. The file lies one folder up from the sources and from what is compiled. */
import { readFileSync } from 'node:fs';

export const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;
