/** The digest of a write: it covers the write and what conditions may read, but not the evidence. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { canonicalJson, inOrder } from './canonical-json.ts';
import type { WriteIntent } from './write-intent.ts';

/** Frozen in v1. In canonical order, so that only `metadata` needs sorting. */
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

/** What names the object of a write: an attestation with `bind: object` is bound to these. */
export const OBJECT_MEMBERS = ['system', 'objectType', 'objectRef'] as const;

/** An intent as sent or as parsed; a null member counts as absent. */
export type DigestInput = { readonly [member in (typeof DIGEST_MEMBERS)[number]]?: unknown };

const utf8 = new TextEncoder();

/** The RFC 8785 form of the members the digest covers. */
export function canonicalIntent(intent: DigestInput): string {
  const metadata = intent.metadata ?? undefined;
  const ordered = metadata === undefined ? undefined : inOrder(metadata);
  // INVARIANT: the names are in canonical order; JSON.stringify omits undefined.
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

/** JSON.stringify writes well-formed strings and booleans as RFC 8785 does. */
function isPlainMember(value: unknown): boolean {
  return typeof value === 'string' ? value.isWellFormed() : value === undefined || typeof value === 'boolean';
}

export function intentDigest(intent: DigestInput): string {
  return `sha256:${bytesToHex(sha256(utf8.encode(canonicalIntent(intent))))}`;
}
