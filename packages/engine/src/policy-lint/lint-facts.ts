/** Which facts rules read, and whether a permit or limit reads ones that an older read may still contradict. */

import { durationMs } from '@writecheck/contract';
import type { ControlDefinition, PolicyDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { factsReadBy } from '../policy-compare/spoken-sides.ts';
import type { Warn } from './lint-warning.ts';

const OLD_MS = 5 * 60_000;

/** The controls whose facts some condition reads. */
export function lintFacts(
  documents: readonly PolicyDocument[],
  controls: ReadonlyMap<string, ControlDefinition>,
  warn: Warn,
): ReadonlySet<string> {
  const all = new Set<string>();
  for (const document of documents) {
    for (const [pointer, text] of readersOf(document)) {
      for (const id of factsReadBy(text)) {
        all.add(id);
        const control = controls.get(id);
        const mustBeFresh = document.kind === 'Limit' || ('permit' in document && document.permit === true);
        if (mustBeFresh && control !== undefined && mayBeOutdated(control))
          warn(
            document,
            pointer,
            `a caller can choose among the reads of the last ${control.maxAge}: set \`use: once\` on ${quoted(id)}, or a \`maxAge\` of at most 5m`,
          );
      }
    }
  }
  return all;
}

/** The condition of a document, and the paths of a limit, each with its place. */
function readersOf(document: PolicyDocument): readonly (readonly [string, string])[] {
  if (document.kind !== 'Profile' && document.kind !== 'Limit') return [];
  const list: (readonly [string, string])[] = document.when === undefined ? [] : [['/when', document.when]];
  if (document.kind !== 'Limit') return list;
  if (document.sum !== undefined) list.push(['/sum', document.sum]);
  document.by?.forEach((path, index) => void list.push([`/by/${index}`, path]));
  return list;
}

/** Whether a caller can keep a signed read and send it when the record says something else. */
function mayBeOutdated({ maxAge, use }: ControlDefinition): boolean {
  return use !== 'once' && maxAge !== undefined && durationMs(maxAge) > OLD_MS;
}
