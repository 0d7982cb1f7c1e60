/** A bundle as replaying needs it: compiled, with its evidence sources as text to compare. */
import { canonicalJson } from '@writecheck/contract';
import {
  compile,
  EMPTY_SNAPSHOT,
  EMPTY_SNAPSHOT_BEFORE_REVIEWS,
  type PolicyDocument,
  type PolicySnapshot,
} from '@writecheck/engine';
import { storedDocuments } from '../policies/stored-documents.ts';

export interface ReplayBundle {
  readonly snapshot: PolicySnapshot;
  readonly documents: readonly PolicyDocument[];
  /** The RFC 8785 form of an EvidenceSource; undefined if the bundle has no source with that id. */
  readonly evidenceSource: (id: string) => string | undefined;
}

/** The bundle by which a workspace decides before it has one. */
export const NO_BUNDLE: ReplayBundle = {
  snapshot: EMPTY_SNAPSHOT,
  documents: [],
  evidenceSource: () => undefined,
};
const NO_BUNDLE_BEFORE_REVIEWS: ReplayBundle = { ...NO_BUNDLE, snapshot: EMPTY_SNAPSHOT_BEFORE_REVIEWS };
/** These versions had no reviews, so no person could approve anything. */
const ENGINES_BEFORE_REVIEWS: readonly string[] = ['1', '2'];

export function noBundleOf(engine: string): ReplayBundle {
  return ENGINES_BEFORE_REVIEWS.includes(engine) ? NO_BUNDLE_BEFORE_REVIEWS : NO_BUNDLE;
}

/** Null if the stored text does not compile in this version. */
export function replayBundle(text: string): ReplayBundle | null {
  const documents = storedDocuments(text);
  const compiled = documents === null ? null : compile(documents);
  if (compiled?.kind !== 'snapshot') return null;
  const sources = new Map<string, string>();
  for (const document of compiled.documents) {
    if (document.kind === 'EvidenceSource') sources.set(document.id, canonicalJson(document));
  }
  return {
    snapshot: compiled.snapshot,
    documents: compiled.documents,
    evidenceSource: (id) => sources.get(id),
  };
}
