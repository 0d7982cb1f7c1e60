/** The worker that parses, compiles, tests and compares bundles. */
import { countChanges } from './count-changes.ts';
import { type ExamineRequest, examinePolicies } from './examine-policies.ts';
import { printDocuments, readYaml } from './read-yaml.ts';

export type PolicyJob =
  | { readonly id: number; readonly kind: 'print'; readonly documents: Parameters<typeof printDocuments>[0] }
  | { readonly id: number; readonly kind: 'read'; readonly text: string }
  | {
      readonly id: number;
      readonly kind: 'count';
      readonly before: Parameters<typeof countChanges>[0];
      readonly after: Parameters<typeof countChanges>[1];
    }
  | { readonly id: number; readonly kind: 'examine'; readonly request: ExamineRequest };

function work(job: PolicyJob): unknown {
  switch (job.kind) {
    case 'print':
      return printDocuments(job.documents);
    case 'read': {
      const parsed = readYaml(job.text);
      return parsed.kind === 'faults' ? null : parsed.documents;
    }
    case 'count':
      return countChanges(job.before, job.after);
    case 'examine':
      return examinePolicies(job.request);
  }
}

addEventListener('message', async ({ data }: MessageEvent<PolicyJob>) => {
  let value: unknown = null;
  try {
    value = await work(data);
  } catch (error) {
    // The caller gets null; the service checks the bundle in any case.
    console.error(error);
  }
  postMessage({ id: data.id, value });
});
