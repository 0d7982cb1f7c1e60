/** Reads the documents of a bundle as they are stored; strictly, since somebody may have been at the store. */
import { parseStrictJson } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { BODY_DEPTH_MAX } from './bundle-source.ts';

const utf8 = new TextEncoder();

/** Null where the text is no list. Whether its elements are documents is for `compile` to say. */
export function storedDocuments(text: string): readonly PolicyDocument[] | null {
  const parsed = parseStrictJson(utf8.encode(text), BODY_DEPTH_MAX);
  return parsed.kind === 'json' && Array.isArray(parsed.value)
    ? (parsed.value as unknown as readonly PolicyDocument[])
    : null;
}
