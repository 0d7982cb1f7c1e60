/** The worker that parses, compiles, tests and compares bundles. */
import { type ExamineRequest, examinePolicies } from './examine-policies.ts';
import { printDocuments } from './read-yaml.ts';

export type PolicyJob =
  | { readonly id: number; readonly kind: 'print'; readonly documents: Parameters<typeof printDocuments>[0] }
  | { readonly id: number; readonly kind: 'examine'; readonly request: ExamineRequest };

addEventListener('message', async ({ data }: MessageEvent<PolicyJob>) => {
  let value: unknown = null;
  try {
    value = data.kind === 'print' ? printDocuments(data.documents) : await examinePolicies(data.request);
  } catch (error) {
    // The caller gets null; the service checks the bundle in any case.
    console.error(error);
  }
  postMessage({ id: data.id, value });
});
