/** The calls that read, apply and roll back policy bundles. */
import type { Answered } from '@writecheck/api/calls';
import type { ProblemDetail } from '@writecheck/contract';
import type { LoosenedExample, PolicyDocument } from '@writecheck/engine';
import { call, type Reply } from '../api.ts';

/** Its revision is 0 before the first bundle. What the documents hold is the engine's to say. */
export interface Bundle extends Omit<Answered<'GET /v1/policies'>, 'documents'> {
  readonly documents: readonly PolicyDocument[];
}

/** A detail of `loosening_unconfirmed`; it may carry an example intent. */
export interface LooseningDetail extends ProblemDetail {
  readonly example?: LoosenedExample;
}

export function readBundle(signal: AbortSignal) {
  return call('GET /v1/policies', { signal }) as Promise<Reply<Bundle>>;
}

export function readRevision(revision: number, signal?: AbortSignal) {
  return call('GET /v1/policies/revisions/{revision}', {
    in: { revision: String(revision) },
    signal,
  }) as Promise<Reply<Bundle>>;
}

export function listRevisions(signal: AbortSignal) {
  return call('GET /v1/policies/revisions', { signal });
}

/** `over` is the digest of the bundle the author saw; the service refuses to overwrite any other. */
export function applyBundle(text: string, over: string | null, isConfirmed: boolean, message: string) {
  return call('PUT /v1/policies', {
    query: { ...confirmed(isConfirmed), message },
    body: { text, mediaType: 'application/yaml' },
    headers: ifMatch(over),
  });
}

export function rollBack(revision: number, over: string | null, isConfirmed: boolean, message: string) {
  return call('POST /v1/policies/rollback', {
    query: { ...confirmed(isConfirmed), message },
    json: { revision },
    headers: ifMatch(over),
  });
}

function confirmed(isConfirmed: boolean): { readonly confirmLoosening?: 'true' } {
  return isConfirmed ? { confirmLoosening: 'true' } : {};
}

export function ifMatch(digest: string | null): { readonly [name: string]: string } {
  return digest === null ? {} : { 'if-match': `"${digest}"` };
}
