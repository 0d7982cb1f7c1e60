/** `writecheck policy apply` and `pull`: sends a bundle to the service, or fetches the running one. */
import { writeFile } from 'node:fs/promises';
import type { ProblemDetail } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { describeDetail } from '@writecheck/service/features/policies/describe-detail';
import { stringify } from 'yaml';
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

export async function policyPull(
  file: string,
  options: ServiceOptions & { readonly force: boolean },
): Promise<void> {
  const { body } = await askService('GET', '/v1/policies', options);
  const { revision, digest, documents } = body as {
    readonly revision: number;
    readonly digest: string | null;
    readonly documents: readonly unknown[];
  };
  if (digest === null) throw new CommandFailure('no bundle was applied yet, so there is none to pull');
  const head = `# revision ${revision}, ${digest}\n`;
  const text = head + documents.map((document) => stringify(document, { lineWidth: 100 })).join('---\n');
  if (file === '-') {
    process.stdout.write(text);
    return;
  }
  try {
    await writeFile(file, text, { flag: options.force ? 'w' : 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new CommandFailure(`\`${file}\` already exists; overwrite it with --force`);
    throw new CommandFailure(`\`${file}\` cannot be written (${code}); choose another file`);
  }
  process.stdout.write(`revision ${revision} is in ${file}\n`);
}
