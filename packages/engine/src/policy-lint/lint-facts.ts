/** Warns if a permit or limit may read outdated facts, or if an agent could satisfy a rule over facts by its own word. */
import { durationMs } from '@writecheck/contract';
import type { ControlDefinition, PolicyDocument, ProfileDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { factsReadBy } from '../policy-compare/spoken-sides.ts';
import type { Warn } from './lint-warning.ts';

const OLD_MS = 5 * 60_000;
export function lintFacts(
  documents: readonly PolicyDocument[],
  controls: ReadonlyMap<string, ControlDefinition>,
  warn: Warn,
): void {
  for (const document of documents) {
    for (const [pointer, text] of readersOf(document)) {
      for (const id of factsReadBy(text)) {
        const control = controls.get(id);
        const mustBeFresh = document.kind === 'Limit' || ('permit' in document && document.permit === true);
        if (mustBeFresh && control !== undefined && mayBeOutdated(control))
          warn(
            document,
            pointer,
            `a caller can choose among its reads of the last ${control.maxAge}, and send one that is out of date: set \`use: once\` of ${quoted(id)}, or its \`maxAge\` to at most 5m`,
          );
      }
    }
    if (document.kind === 'Profile') lintUnsigned(document, controls, warn);
  }
}

/** A rule about the record is as strong as the evidence that satisfies it. */
function lintUnsigned(
  profile: ProfileDocument,
  controls: ReadonlyMap<string, ControlDefinition>,
  warn: Warn,
): void {
  if (profile.when === undefined || factsReadBy(profile.when).size === 0) return;
  profile.require?.forEach((requirement, index) => {
    const id = typeof requirement === 'string' ? requirement : requirement.control;
    const control = controls.get(id);
    if (control === undefined || control.assurance === 'attested') return;
    warn(
      profile,
      `/require/${index}`,
      `the condition reads what a source signed, but an agent satisfies ${quoted(id)} by its own word: set \`assurance: attested\` on it`,
    );
  });
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

/** Whether a caller can keep a signed read and send it when the record has changed. */
function mayBeOutdated({ maxAge, use }: ControlDefinition): boolean {
  return use !== 'once' && maxAge !== undefined && durationMs(maxAge) > OLD_MS;
}
