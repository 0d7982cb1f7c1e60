/**
 * The statement that a passkey signs when a person decides a review. The page, the service and the auditor each build
 * it from their own data, so a signature over its hash is worthless for another write, review or verdict.
 */
import { canonicalJson } from '@writecheck/contract';
import { type Sha256, sha256 } from './sha256.ts';

export const VERDICT_VERSION = 'writecheck.verdict.v1';

export interface VerdictStatement {
  readonly workspace: string;
  /** `rev_...` */
  readonly review: string;
  readonly intentDigest: string;
  /** The controls it speaks for, in the review's order. */
  readonly controls: readonly string[];
  readonly verdict: 'approve' | 'reject';
  /** The person's id. */
  readonly by: string;
  readonly comment: string | null;
}

/** The RFC 8785 form. It throws for text without a canonical form, such as a lone surrogate. */
export function verdictStatementText(statement: VerdictStatement): string {
  return canonicalJson({
    by: statement.by,
    comment: statement.comment,
    controls: [...statement.controls],
    intentDigest: statement.intentDigest,
    review: statement.review,
    verdict: statement.verdict,
    version: VERDICT_VERSION,
    workspace: statement.workspace,
  });
}

const encoder = new TextEncoder();

/** The challenge of one verdict. */
export function verdictChallenge(statement: VerdictStatement, hash: Sha256 = sha256): Uint8Array {
  return hash(encoder.encode(verdictStatementText(statement)));
}

/** The challenge of several verdicts under one prompt: the hash of their statements' hashes, in order. */
export function batchChallenge(hashes: readonly Uint8Array[], hash: Sha256 = sha256): Uint8Array {
  const all = new Uint8Array(hashes.reduce((length, each) => length + each.length, 0));
  let at = 0;
  for (const each of hashes) {
    all.set(each, at);
    at += each.length;
  }
  return hash(all);
}
