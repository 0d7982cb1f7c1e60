/** What a decision is about: the digest of the write itself and of what conditions may read, not of the proof around it. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { canonicalJson, inOrder } from './canonical-json.ts';
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
  const metadata = intent.metadata ?? undefined;
  const ordered = metadata === undefined ? undefined : inOrder(metadata);
  // INVARIANT: the names stand in canonical order; undefined is left out.
  const covered = {
    agentValue: intent.agentValue ?? undefined,
    authorityFound: intent.authorityFound ?? undefined,
    authoritySource: intent.authoritySource ?? undefined,
    authorityValue: intent.authorityValue ?? undefined,
    field: intent.field ?? undefined,
    metadata: ordered,
    objectRef: intent.objectRef ?? undefined,
    objectType: intent.objectType ?? undefined,
    operation: intent.operation ?? undefined,
    system: intent.system ?? undefined,
    workflowId: intent.workflowId ?? undefined,
  } satisfies { [member in (typeof DIGEST_MEMBERS)[number]]: unknown };
  const isPlain =
    (metadata === undefined || ordered !== undefined) &&
    DIGEST_MEMBERS.every((member) => member === 'metadata' || isPlainMember(covered[member]));
  return isPlain ? JSON.stringify(covered) : canonicalJson({ ...covered, metadata });
}

/** RFC 8785 spells a well-formed string as JSON.stringify does, and all members but one are strings. */
function isPlainMember(value: unknown): boolean {
  return typeof value === 'string' ? value.isWellFormed() : value === undefined || typeof value === 'boolean';
}

export function intentDigest(intent: DigestInput): string {
  return `sha256:${bytesToHex(sha256(utf8.encode(canonicalIntent(intent))))}`;
}
