/** Checks a bundle as its author supplied it, and returns the documents to apply or every error with its place. */
import type { ProblemDetail } from '@writecheck/contract';
import {
  compile,
  type PolicyDocument,
  type PolicyFault,
  type PolicySnapshot,
  runPolicyTests,
} from '@writecheck/engine';
import type { BundleSource } from './bundle-source.ts';
import { type Placing, readBundleSource } from './read-bundle-source.ts';

export type Examined =
  | {
      readonly kind: 'good';
      readonly digest: string;
      readonly documents: readonly PolicyDocument[];
      readonly snapshot: PolicySnapshot;
      /** Finds a place within a document in the author's own order and text. */
      readonly placeOf: (document: PolicyDocument, pointer: string) => Omit<ProblemDetail, 'message'>;
    }
  | { readonly kind: 'invalid'; readonly details: readonly ProblemDetail[] };

export function examineDocuments(source: BundleSource): Examined {
  const read = readBundleSource(source);
  if (read.kind === 'faults') return { kind: 'invalid', details: read.details };
  const compiled = compile(read.documents);
  if (compiled.kind === 'invalid') {
    return { kind: 'invalid', details: allPlaced(compiled.faults, read) };
  }
  const indexOf = new Map(
    read.documents.map((document, index) => [identityOf(document as PolicyDocument), index]),
  );
  return {
    ...compiled,
    kind: 'good',
    // The compiled documents have their own order.
    placeOf: (document, pointer) => {
      const index = indexOf.get(identityOf(document)) ?? -1;
      return { pointer: `/documents/${index}${pointer}`, ...read.placeOf(index, pointer) };
    },
  };
}

function identityOf(document: PolicyDocument): string {
  return JSON.stringify([document.kind, document.kind === 'Defaults' ? '' : document.id]);
}

/** Runs the bundle's own tests too: a bundle that fails them is not applied. */
export async function examineBundle(source: BundleSource, workspace: string): Promise<Examined> {
  const examined = examineDocuments(source);
  if (examined.kind === 'invalid') return examined;
  const { documents, snapshot, placeOf } = examined;
  const failures = await runPolicyTests(documents, snapshot, workspace);
  if (failures.length === 0) return examined;
  const details = failures.map(({ document, pointer, message }) => ({
    ...placeOf(document, pointer),
    message,
  }));
  return { kind: 'invalid', details };
}

/** Limits the listed errors: locating one takes longer in a larger document, and nobody reads more. */
const FAULTS_LISTED_MAX = 500;

function allPlaced(faults: readonly PolicyFault[], placing: Placing): readonly ProblemDetail[] {
  const told = faults.slice(0, FAULTS_LISTED_MAX).map((fault) => placed(fault, placing));
  const more = faults.length - told.length;
  return more === 0 ? told : [...told, { pointer: '', message: `and ${more} more errors` }];
}

/** An error's place in the list of documents, and in the author's text if that is known. */
function placed(fault: PolicyFault, { placeOf }: Placing): ProblemDetail {
  const { documentIndex, pointer, message, line, column } = fault;
  const place = placeOf(documentIndex, pointer);
  const inCondition = line === undefined || column === undefined ? null : { line, column };
  const isKnown = place.line !== undefined;
  return {
    pointer: `/documents/${documentIndex}${pointer}`,
    // If the place in the text is known, it covers the whole condition.
    message:
      isKnown && inCondition !== null
        ? `${message} (${describePlace(inCondition)} of the condition)`
        : message,
    ...(isKnown ? {} : inCondition),
    ...place,
  };
}

function describePlace({ line, column }: { readonly line: number; readonly column: number }): string {
  return line === 1 ? `column ${column}` : `line ${line}, column ${column}`;
}
