/** Which facts conditions read, and whether a permit reads ones that an older read may still contradict. */

import { durationMs } from '@writecheck/contract';
import { parseCondition } from '../conditions/parse.ts';
import { pathsIn } from '../conditions/path-text.ts';
import type { ControlDefinition, PolicyDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
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
    if (document.kind === 'Limit')
      for (const path of [...(document.by ?? []), document.sum ?? ''])
        if (path.startsWith('facts.')) all.add(path.split('.')[1]!);
    if ((document.kind !== 'Profile' && document.kind !== 'Limit') || document.when === undefined) continue;
    for (const id of factsReadBy(document.when)) {
      all.add(id);
      const control = controls.get(id);
      const decides = document.kind === 'Limit' || document.permit === true;
      if (decides && control !== undefined && mayBeOutdated(control))
        warn(
          document,
          '/when',
          `a caller can choose among the reads of the last ${control.maxAge}: set \`use: once\` on ${quoted(id)}, or a \`maxAge\` of at most 5m`,
        );
    }
  }
  return all;
}

/** Whether a caller can keep a signed read and send it when the record says something else. */
export function mayBeOutdated({ maxAge, use }: ControlDefinition): boolean {
  return use !== 'once' && maxAge !== undefined && durationMs(maxAge) > OLD_MS;
}

function factsReadBy(when: string): readonly string[] {
  const parsed = parseCondition(when);
  if (parsed.kind === 'fault') return [];
  const ids = pathsIn(parsed.tree).flatMap(({ root, members }) =>
    root === 'facts' ? [members[0] as string] : [],
  );
  return [...new Set(ids)];
}
