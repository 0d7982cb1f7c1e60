/** Turns a mapping file into the tool map that the adapters take. */
import type { GuardSettings } from '../guard-call.ts';
import type { IntentFromArgs, ToolMap } from '../tool-map.ts';
import { gatherEvidence } from './gather-evidence.ts';
import type { Mapping } from './read-mapping.ts';
import { renderIntent, renderReview } from './render-intent.ts';

/** Relative paths and commands of evidence sources start in `folder`, usually that of the mapping file. */
export function toolMapOf(
  mapping: Mapping,
  folder: string,
): ToolMap & Required<Pick<GuardSettings, 'reviewRequest'>> {
  const write = Object.entries(mapping.write).map(([tool, entry]): [string, IntentFromArgs] => [
    tool,
    (args) => gatherEvidence(renderIntent(tool, entry, args), entry.evidence, folder),
  ]);
  return {
    write: Object.fromEntries(write),
    read: mapping.read,
    reviewRequest: ({ tool, args }) => renderReview(mapping.write[tool]!, args),
  };
}
