/** `writecheck policy apply`: sends a bundle to the service. */
import { loadBundle } from './bundle.ts';
import { showForecast } from './forecast.ts';
import { askService, type ServiceOptions } from './service.ts';
import { describerOf } from './try-bundle.ts';

export async function policyApply(
  path: string,
  options: ServiceOptions & { readonly confirmLoosening: boolean; readonly ifMatch?: string },
): Promise<void> {
  // Checked here first, because only this side knows the file names.
  const bundle = await loadBundle(path);
  await showForecast(bundle, options);
  const json = { documents: bundle.documents, confirmLoosening: options.confirmLoosening };
  const headers = options.ifMatch === undefined ? {} : { 'if-match': `"${options.ifMatch}"` };
  const { body } = await askService('PUT', '/v1/policies', options, json, headers, describerOf(bundle));
  const {
    revision,
    digest,
    warnings = [],
  } = body as {
    readonly revision: number;
    readonly digest: string;
    readonly warnings?: readonly string[];
  };
  for (const warning of warnings)
    process.stderr.write(`warning: ${warning}
`);
  process.stdout.write(`revision ${revision} is now active\n${digest}\n`);
}
