/** The worker that parses, compiles, tests and compares bundles. */
import { countChanges } from './count-changes.ts';
import { examinePolicies } from './examine-policies.ts';
import { printDocuments, readYaml } from './read-yaml.ts';

const JOBS = { print: printDocuments, read: documentsIn, count: countChanges, examine: examinePolicies };

export type Jobs = typeof JOBS;

/** The documents of a text; null if it cannot be read. */
function documentsIn(text: string): readonly unknown[] | null {
  const parsed = readYaml(text);
  return parsed.kind === 'faults' ? null : parsed.documents;
}

addEventListener('message', async ({ data: { id, job, given } }) => {
  let value: unknown = null;
  try {
    value = await (JOBS[job as keyof Jobs] as (...given: readonly unknown[]) => unknown)(...given);
  } catch (error) {
    // The caller gets null; the service checks the bundle in any case.
    console.error(error);
  }
  postMessage({ id, value });
});
