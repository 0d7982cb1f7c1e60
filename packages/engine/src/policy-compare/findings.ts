/** What a comparison of two bundles finds: each difference that loosens or tightens, and its place. */
import type { PolicyDocument } from '../policy/documents.ts';

export interface Finding {
  readonly kind: 'loosens' | 'tightens';
  readonly documentKind: PolicyDocument['kind'];
  /** Empty for `Defaults`, which has none. */
  readonly id: string;
  /** JSON pointer inside the document, or inside the old one if the document is gone. */
  readonly pointer: string;
  readonly message: string;
}

type Tell = (pointer: string, message: string) => void;

/** Collects the findings about one document. */
export interface Findings {
  readonly loosens: Tell;
  readonly tightens: Tell;
}

export function findingsAbout(list: Finding[], documentKind: PolicyDocument['kind'], id: string): Findings {
  const tell =
    (kind: Finding['kind']): Tell =>
    (pointer, message) => {
      list.push({ kind, documentKind, id, pointer, message });
    };
  return { loosens: tell('loosens'), tightens: tell('tightens') };
}
