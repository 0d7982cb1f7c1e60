/**
 * The findings of a comparison of bundles: each difference that loosens, tightens or cannot be compared, and its
 * place.
 */
import type { PolicyDocument } from '../policy/documents.ts';

export interface Finding {
  /** `unclear` may do either, so it needs the same confirmation as `loosens`. */
  readonly kind: 'loosens' | 'tightens' | 'unclear';
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
  readonly unclear: Tell;
}

/** `place` and `subject` precede every pointer and message. */
export function findingsAbout(
  list: Finding[],
  documentKind: PolicyDocument['kind'],
  id: string,
  place = '',
  subject = '',
): Findings {
  const tell =
    (kind: Finding['kind']): Tell =>
    (pointer, message) => {
      list.push({ kind, documentKind, id, pointer: place + pointer, message: subject + message });
    };
  return { loosens: tell('loosens'), tightens: tell('tightens'), unclear: tell('unclear') };
}

/** INVARIANT: anything not shown to be as strict counts. */
export function mayLoosen({ kind }: Pick<Finding, 'kind'>): boolean {
  return kind !== 'tightens';
}
