/** `writecheck policy apply`: sends a bundle to the service. */
import type { ProblemDetail } from '@writecheck/contract';
import { describeDetail } from '@writecheck/service/features/policies/describe-detail';
import { loadBundle } from './bundle.ts';
import { askService, type ServiceOptions } from './service.ts';

export async function policyApply(
  path: string,
  options: ServiceOptions & { readonly confirmLoosening: boolean; readonly ifMatch?: string },
): Promise<void> {
  // Checked here first, because only this side knows the file names.
  const { documents, placeOf } = await loadBundle(path);
  const json = { documents, confirmLoosening: options.confirmLoosening };
  const headers = options.ifMatch === undefined ? {} : { 'if-match': `"${options.ifMatch}"` };
  const describe = (detail: ProblemDetail): string => {
    const [, index, pointer] = /^\/documents\/(\d+)(.*)/s.exec(detail.pointer) ?? [];
    const document = documents[Number(index)];
    return describeDetail(document === undefined ? detail : { ...detail, ...placeOf(document, pointer!) });
  };
  const { body } = await askService('PUT', '/v1/policies', options, json, headers, describe);
  const { revision, digest } = body as { readonly revision: number; readonly digest: string };
  process.stdout.write(`revision ${revision} is now active\n${digest}\n`);
}
