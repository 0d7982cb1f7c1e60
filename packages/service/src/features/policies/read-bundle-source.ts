/** Reads the documents of a bundle, and maps places in them back to the author's text. */
import { type JsonValue, type ProblemDetail, parseStrictJson } from '@writecheck/contract';
import { parsePolicyYaml } from '@writecheck/engine/policy-yaml';
import { BODY_DEPTH_MAX, type BundleSource, type PolicyFile } from './bundle-source.ts';
import { storedDocuments } from './stored-documents.ts';

export interface Placing {
  /** Finds a place within a document in the author's text; empty if it is not known. */
  readonly placeOf: (
    documentIndex: number,
    pointer: string,
  ) => Pick<ProblemDetail, 'file' | 'line' | 'column'>;
}

type ReadBundle =
  | ({ readonly kind: 'documents'; readonly documents: readonly unknown[] } & Placing)
  | { readonly kind: 'faults'; readonly details: readonly ProblemDetail[] };

export function readBundleSource(source: BundleSource): ReadBundle {
  switch (source.kind) {
    case 'yaml':
      return readYaml(source.files);
    case 'stored': {
      const documents = storedDocuments(source.text);
      return documents === null
        ? {
            kind: 'faults',
            details: [{ pointer: '', message: 'the stored text is not a list of documents' }],
          }
        : { kind: 'documents', documents, placeOf: () => ({}) };
    }
    case 'body': {
      const parsed = parseStrictJson(source.bytes, BODY_DEPTH_MAX);
      const documents =
        parsed.kind === 'json' ? (parsed.value as { readonly documents: JsonValue }).documents : null;
      // The caller has already checked the body's outline; this checks again.
      if (!Array.isArray(documents)) throw new TypeError('the body contains no list of documents');
      return { kind: 'documents', documents, placeOf: () => ({}) };
    }
  }
}

function readYaml(files: readonly PolicyFile[]): ReadBundle {
  const details: ProblemDetail[] = [];
  const documents: unknown[] = [];
  const places: ((pointer: string) => Pick<ProblemDetail, 'file' | 'line' | 'column'>)[] = [];
  for (const { file, bytes } of files) {
    const inFile = file === null ? {} : { file };
    const text = decode(bytes);
    if (text === null) {
      details.push({ pointer: '', message: 'the text is not valid UTF-8', ...inFile });
      continue;
    }
    const parsed = parsePolicyYaml(text);
    if (parsed.kind === 'faults') {
      for (const fault of parsed.faults) details.push({ pointer: '', ...fault, ...inFile });
      continue;
    }
    parsed.documents.forEach((document, index) => {
      documents.push(document);
      places.push((pointer) => ({ ...inFile, ...parsed.placeOf(index, pointer) }));
    });
  }
  if (details.length > 0) return { kind: 'faults', details };
  return {
    kind: 'documents',
    documents,
    placeOf: (documentIndex, pointer) => places[documentIndex]?.(pointer) ?? {},
  };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
