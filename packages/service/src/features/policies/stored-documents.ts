/** Parses the stored documents of a bundle; strictly, because somebody may have changed the store. */
import { parseStrictJson } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { BODY_DEPTH_MAX } from './bundle-source.ts';

const utf8 = new TextEncoder();

/** Null if the text is not a list. `compile` judges whether its elements are documents. */
export function storedDocuments(text: string): readonly PolicyDocument[] | null {
  const parsed = parseStrictJson(utf8.encode(text), BODY_DEPTH_MAX);
  return parsed.kind === 'json' && Array.isArray(parsed.value)
    ? (parsed.value as unknown as readonly PolicyDocument[])
    : null;
}
