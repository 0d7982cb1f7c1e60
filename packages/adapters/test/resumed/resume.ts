/** A process that resumes saved runs: `resume.ts FRAMEWORK URL KEY FOLDER RUN...`; `RUN!` dies right after its write. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@writecheck/client';
import { FRAMEWORKS } from './frameworks.ts';

const [name = '', baseUrl = '', apiKey = '', folder = '', ...runs] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey, timeoutMs: 20_000 });
const framework = await FRAMEWORKS[name]!();
for (const run of runs) {
  const file = join(folder, run.replace('!', ''));
  const write = (): string => {
    appendFileSync(`${file}.written`, `${process.pid}\n`);
    if (run.endsWith('!')) process.exit(3);
    return 'the contact was updated';
  };
  const saved = readFileSync(`${file}.run`, 'utf8');
  const seen = await framework.resume({ client, write }, saved);
  console.log(seen.includes('may have made this change already') ? 'taken' : 'wrote');
}
