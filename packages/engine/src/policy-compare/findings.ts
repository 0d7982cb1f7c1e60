/** What a comparison of two bundles finds: each difference that loosens or tightens, and where it stands. */
import type { PolicyDocument } from '../policy/documents.ts';

export interface Finding {
  readonly kind: 'loosens' | 'tightens';
  readonly documentKind: PolicyDocument['kind'];
  /** Empty for `Defaults`, which has none. */
  readonly id: string;
  /** JSON pointer inside the document; where the document is gone, inside the old one. */
  readonly pointer: string;
  readonly message: string;
}

type Tell = (pointer: string, message: string) => void;

/** Collects what is found about one document. */
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
