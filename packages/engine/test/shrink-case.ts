/** Shrinks a differing case by removing everything that can be removed while it still differs. */
import type { Case } from './generate-intent.ts';

type Tree = { [key: string]: unknown } | unknown[];

/** Every way to take one member or element out of a tree, the outer ones first. */
function* without(tree: unknown): Generator<unknown> {
  if (typeof tree !== 'object' || tree === null) return;
  const entries = Object.entries(tree as Tree);
  const rebuild = (kept: readonly (readonly [string, unknown])[]): unknown =>
    Array.isArray(tree) ? kept.map(([, value]) => value) : Object.fromEntries(kept);
  for (const [at] of entries.entries()) yield rebuild(entries.toSpliced(at, 1));
  for (const [at, [key, value]] of entries.entries()) {
    for (const smaller of without(value)) yield rebuild(entries.with(at, [key, smaller]));
  }
}

/** Items and their facts travel together, so that leaving one out leaves out the other. */
interface Loose {
  readonly documents: Case['documents'];
  readonly intent: Omit<Case['intent'], 'controlEvidence'>;
  readonly evidence: readonly { readonly item: object; readonly facts: Case['facts'][number] }[];
}

function loosen({ documents, intent, facts }: Case): Loose {
  const { controlEvidence = [], ...rest } = intent;
  return {
    documents,
    intent: rest,
    evidence: controlEvidence.map((item, at) => ({ item, facts: facts[at]! })),
  };
}

function fasten({ documents, intent, evidence }: Loose, one: Case): Case | null {
  if (documents === undefined || intent?.system === undefined || evidence === undefined) return null;
  const complete = evidence.every(
    ({ item, facts }) =>
      item !== undefined &&
      ['controlId', 'source', 'result'].every((name) => name in item) &&
      (facts?.kind === 'none' ||
        'attestation' in item ||
        ('source' in item && item.source === 'review-desk')) &&
      (facts?.kind === 'verified' ? Object.keys(facts).length >= 8 : facts?.kind !== undefined),
  );
  if (!complete) return null;
  return {
    ...one,
    documents,
    intent: { ...intent, controlEvidence: evidence.map(({ item }) => item) } as Case['intent'],
    facts: evidence.map(({ facts }) => facts),
  };
}

export function shrinkCase(start: Case, stillDiffers: (one: Case) => boolean): Case {
  let best = start;
  search: for (;;) {
    for (const candidate of without(loosen(best))) {
      const smaller = fasten(candidate as Loose, best);
      if (smaller === null || !stillDiffers(smaller)) continue;
      best = smaller;
      continue search;
    }
    return best;
  }
}
