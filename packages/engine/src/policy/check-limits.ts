/** Rules for the limits of a bundle, and for the draws that its tests suppose. */
import type { PlacedDocument } from './check-bundle.ts';
import type { LimitDocument } from './documents.ts';
import { didYouMean, exactPointerTo, type PolicyFault, quoted } from './faults.ts';
import { faultsOfLimitPath, KEY_PATH } from './limit-paths.ts';

const LIMITS_MAX = 50;

/** Names from documents that may be invalid themselves. */
export interface KnownToLimits {
  readonly limits: ReadonlySet<string>;
  /** Controls that a pack defines. */
  readonly controls: ReadonlySet<string>;
  /** Controls among them whose evidence or approval is single-use. */
  readonly servesOnce: ReadonlySet<string>;
  /** Controls among them with `facts: true`. */
  readonly facts: ReadonlySet<string>;
}

function pathsOf({ by = [], sum }: LimitDocument): readonly (readonly [pointer: string, path: string])[] {
  const counted = by.map((path, index) => [`/by/${index}`, path] as const);
  return sum === undefined ? counted : [...counted, ['/sum', sum]];
}

export function checkLimits(placed: readonly PlacedDocument[], known: KnownToLimits): readonly PolicyFault[] {
  const faults: PolicyFault[] = [];
  let count = 0;
  for (const { documentIndex, document } of placed) {
    if (document.kind === 'PolicyTest') {
      for (const id of Object.keys(document.drawn ?? {})) {
        if (known.limits.has(id)) continue;
        const hint = known.limits.size === 0 ? '' : didYouMean(id, [...known.limits]);
        faults.push({
          documentIndex,
          pointer: exactPointerTo('/drawn', id),
          message: `no Limit ${quoted(id)} in the bundle${hint}`,
        });
      }
    }
    if (document.kind !== 'Limit') continue;
    count += 1;
    if (count === LIMITS_MAX + 1)
      faults.push({
        documentIndex,
        pointer: '',
        message: `a bundle may contain ${LIMITS_MAX} limits; remove this one or another`,
      });
    for (const [pointer, path] of pathsOf(document)) {
      if (pointer === '/sum' && path === KEY_PATH)
        faults.push({ documentIndex, pointer, message: '`key` is not an amount; name a path' });
      else
        for (const fault of faultsOfLimitPath(path, known.facts))
          faults.push({ documentIndex, pointer, ...fault });
    }
    if (typeof document.beyond !== 'object') continue;
    for (const [index, id] of document.beyond.require.entries()) {
      const pointer = `/beyond/require/${index}`;
      if (!known.controls.has(id))
        faults.push({
          documentIndex,
          pointer,
          message: `no ControlPack in the bundle defines ${quoted(id)}`,
        });
      else if (!known.servesOnce.has(id)) {
        const message = `control ${quoted(id)} can be used more than once, so it could let any number of writes through; add \`use: once\` or \`review\` to it`;
        faults.push({ documentIndex, pointer, message });
      }
    }
  }
  return faults;
}
