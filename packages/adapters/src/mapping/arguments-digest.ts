/** One line that represents all arguments of a tool call, so that a decision holds for exactly these. */
import { createHash } from 'node:crypto';
import type { JsonValue } from '@writecheck/client';
import { canonicalJson } from '@writecheck/contract';

/** Throws for a value that is not JSON, such as half a surrogate pair. */
export function argumentsDigest(args: unknown): string {
  return digestOfText(canonicalJson(args as JsonValue));
}

/** The digest of its UTF-8 bytes. */
export function digestOfText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
