/** `writecheck policy check`: reports errors, and likely mistakes. */
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import { lintBundle } from '@writecheck/engine';
import { describeDetail } from '@writecheck/service/features/policies/describe-detail';
import { loadBundle } from './bundle.ts';

export async function policyCheck(path: string, options: { readonly strict: boolean }): Promise<void> {
  const { documents, digest, placeOf } = await loadBundle(path);
  const warnings = lintBundle(documents).map(({ document, pointer, message }) =>
    describeDetail({ ...placeOf(document, pointer), message }),
  );
  const count = documents.length === 1 ? '1 document' : `${documents.length} documents`;
  if (warnings.length > 0 && options.strict)
    throw new CommandFailure(listFaults(`\`${path}\` has warnings:`, warnings));
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
  process.stdout.write(`${count}, no errors${warnings.length === 0 ? ', no warnings' : ''}\n${digest}\n`);
}
