/** The calls that the policy pages make. */
import type { LoosenedExample, PolicyDocument } from '@writecheck/engine';
import { callAs, type FailureDetail, type Outcome } from '../../api.ts';

export interface Bundle {
  /** 0 before the first bundle. */
  readonly revision: number;
  readonly digest: string | null;
  readonly documents: readonly PolicyDocument[];
}

export interface Revision {
  readonly revision: number;
  readonly digest: string;
  readonly authorKeyId: string | null;
  readonly authorPersonId: string | null;
  readonly createdAt: string;
  readonly rollbackOf: number | null;
  /** What its author says about it. */
  readonly message: string | null;
}

export interface Applied {
  readonly revision: number;
  readonly digest: string;
}

/** A detail of `loosening_unconfirmed`; it may carry an example intent. */
export interface LooseningDetail extends FailureDetail {
  readonly example?: LoosenedExample;
}

const BUNDLE = { revision: 'number', documents: 'array' } as const;
const APPLIED = { revision: 'number', digest: 'string' } as const;

export function readBundle(signal: AbortSignal): Promise<Outcome<Bundle>> {
  return callAs('GET', '/v1/policies', { signal, has: BUNDLE });
}

export function readRevision(revision: number, signal?: AbortSignal): Promise<Outcome<Bundle>> {
  return callAs('GET', `/v1/policies/revisions/${revision}`, {
    has: BUNDLE,
    ...(signal === undefined ? {} : { signal }),
  });
}

export function listRevisions(
  signal: AbortSignal,
): Promise<Outcome<{ readonly revisions: readonly Revision[] }>> {
  return callAs('GET', '/v1/policies/revisions', { signal, has: { revisions: 'array' } });
}

/** `over` is the digest of the bundle the author saw; the service refuses to overwrite any other. */
export function applyBundle(
  text: string,
  over: string | null,
  isConfirmed: boolean,
  message: string,
): Promise<Outcome<Applied>> {
  const query = new URLSearchParams({
    ...(isConfirmed ? { confirmLoosening: 'true' } : {}),
    ...(message === '' ? {} : { message }),
  });
  return callAs('PUT', `/v1/policies?${query}`, {
    body: { text, mediaType: 'application/yaml' },
    headers: ifMatch(over),
    has: APPLIED,
  });
}

export function rollBack(
  revision: number,
  over: string | null,
  isConfirmed: boolean,
): Promise<Outcome<Applied>> {
  return callAs('POST', `/v1/policies/rollback${isConfirmed ? '?confirmLoosening=true' : ''}`, {
    json: { revision },
    headers: ifMatch(over),
    has: APPLIED,
  });
}

export function ifMatch(digest: string | null): { readonly [name: string]: string } {
  return digest === null ? {} : { 'if-match': `"${digest}"` };
}
