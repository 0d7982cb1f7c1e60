/** What a decision is about: the digest of the write itself and of what conditions may read, not of the proof around it. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { canonicalJson } from './canonical-json.ts';
import type { WriteIntent } from './write-intent.ts';

/** Frozen in v1, and in canonical order, so that only `metadata` needs sorting at run time. */
export const DIGEST_MEMBERS = [
  'agentValue',
  'authorityFound',
  'authoritySource',
  'authorityValue',
  'field',
  'metadata',
  'objectRef',
  'objectType',
  'operation',
  'system',
  'workflowId',
] as const satisfies readonly (keyof WriteIntent)[];

/** An intent as sent or as parsed: null and left out are the same. */
export type DigestInput = { readonly [member in (typeof DIGEST_MEMBERS)[number]]?: unknown };

const utf8 = new TextEncoder();

/** The RFC 8785 form of the members the digest covers. */
export function canonicalIntent(intent: DigestInput): string {
  let members = '';
  for (const member of DIGEST_MEMBERS) {
    const value = intent[member];
    if (value === undefined || value === null) continue;
    if (members !== '') members += ',';
    members += `"${member}":${canonicalMember(value)}`;
  }
  return `{${members}}`;
}

/** RFC 8785 spells a well-formed string as JSON.stringify does, and all members but one are strings. */
function canonicalMember(value: unknown): string {
  return typeof value === 'string' && value.isWellFormed() ? JSON.stringify(value) : canonicalJson(value);
}

export function intentDigest(intent: DigestInput): string {
  return `sha256:${bytesToHex(sha256(utf8.encode(canonicalIntent(intent))))}`;
}
