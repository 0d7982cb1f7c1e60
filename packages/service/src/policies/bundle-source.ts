/** A bundle as its author gave it, and how to find a place in it again. */
import { DEPTH_LIMIT, type JsonValue, type ProblemDetail, parseStrictJson } from '@writecheck/contract';
import { parsePolicyYaml } from './parse-policy-yaml.ts';

export interface PolicyFile {
  /** Relative to the folder; null for the body of a request. */
  readonly file: string | null;
  readonly bytes: Uint8Array;
}

export type BundleSource =
  | { readonly kind: 'yaml'; readonly files: readonly PolicyFile[] }
  /** The body of a request: an object with `documents`. */
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  /** The documents of an earlier revision, as stored. */
  | { readonly kind: 'stored'; readonly text: string };

export interface Placing {
  /** Where in the author's text a place within a document stands; empty where that is not known. */
  readonly placeOf: (
    documentIndex: number,
    pointer: string,
  ) => Pick<ProblemDetail, 'file' | 'line' | 'column'>;
}

export type ReadBundle =
  | ({ readonly kind: 'documents'; readonly documents: readonly unknown[] } & Placing)
  | { readonly kind: 'faults'; readonly details: readonly ProblemDetail[] };

/** The bundle stands two levels deep in the body. */
export const BODY_DEPTH_LIMIT = DEPTH_LIMIT + 2;

export function readBundleSource(source: BundleSource): ReadBundle {
  switch (source.kind) {
    case 'yaml':
      return readYaml(source.files);
    case 'stored':
      return { kind: 'documents', documents: JSON.parse(source.text), placeOf: () => ({}) };
    case 'body': {
      const parsed = parseStrictJson(source.bytes, BODY_DEPTH_LIMIT);
      const documents =
        parsed.kind === 'json' ? (parsed.value as { readonly documents: JsonValue }).documents : null;
      // The route has read the body before; this is its own guard.
      if (!Array.isArray(documents)) throw new TypeError('the body holds no list of documents');
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
