/** Policy bundles and their revisions. */
import { DOCUMENTS_MAX } from '@writecheck/contract';
import { bodyOf, choice, type Field, flag, name, optional, wholeNumber } from './fields.ts';
import { BODY_ERRORS, operations } from './operation.ts';
import {
  absent,
  count,
  described,
  list,
  nullable,
  object,
  shape,
  type TypeOf,
  text,
  time,
  whole,
} from './shape.ts';

/** The policy engine reads what is inside. */
export const documentList: Field<readonly unknown[]> = {
  schema: { type: 'array', items: { type: 'object' }, maxItems: DOCUMENTS_MAX },
  isRequired: true,
  read: (value) => (Array.isArray(value) ? { value } : { fault: 'must be a list of documents' }),
};
const confirmLoosening = optional(flag);
/** Both are allowed in a query beside a body. */
const BESIDE = bodyOf({
  confirmLoosening: described(
    '`true` confirms a bundle that may loosen',
    optional<boolean, 'true' | 'false'>({
      ...choice('true', 'false'),
      read: (value) => flag.read(value === 'true' ? true : value === 'false' ? false : value),
    }),
  ),
  message: described('what changes and why, kept with the revision', optional(name)),
});

export const DOCUMENT = shape<object>({ type: 'object' });
/** 0 before the first. */
const revision = count;
const APPLIED = object({
  revision,
  digest: text,
  warnings: described('writes that pause because too many rules may apply to them', absent(list(text))),
});
const BUNDLE = object({ revision, digest: text, documents: list(DOCUMENT) });
const RUNNING = object({ revision, digest: nullable(text), documents: list(DOCUMENT) });
const REVISION = object({
  revision,
  digest: text,
  authorKeyId: nullable(text),
  authorPersonId: nullable(text),
  createdAt: time,
  rollbackOf: nullable(whole),
  message: nullable(text),
});

export type PolicyRevision = TypeOf<typeof REVISION>;

const REFUSALS = ['invalid_policy', 'loosening_unconfirmed', 'revision_conflict'] as const;

export const POLICIES = operations({
  applyPolicies: {
    route: 'PUT /v1/policies',
    access: 'managing',
    summary: 'apply a bundle, as JSON or as YAML documents; `If-Match` names the digest it replaces',
    query: BESIDE,
    body: bodyOf({ documents: documentList, confirmLoosening }),
    answers: { 200: ['the revision that is now active', APPLIED] },
    errors: [...BODY_ERRORS, ...REFUSALS],
  },
  rollBackPolicies: {
    route: 'POST /v1/policies/rollback',
    access: 'managing',
    summary: 'apply an earlier revision again, as a new one',
    query: BESIDE,
    body: bodyOf({ revision: wholeNumber(1, Number.MAX_SAFE_INTEGER), confirmLoosening }),
    answers: { 200: ['the revision that is now active', APPLIED] },
    errors: [...BODY_ERRORS, 'not_found', ...REFUSALS],
  },
  readPolicies: {
    route: 'GET /v1/policies',
    access: 'managing',
    summary: 'the running bundle',
    answers: { 200: ['revision 0 and no documents before the first one', RUNNING] },
    errors: [],
  },
  readRevision: {
    route: 'GET /v1/policies/revisions/{revision}',
    access: 'managing',
    summary: 'a bundle that was applied, running or not',
    answers: { 200: ['the bundle', BUNDLE] },
    errors: ['not_found'],
  },
  listRevisions: {
    route: 'GET /v1/policies/revisions',
    access: 'managing',
    summary: 'every bundle that was applied, newest first',
    answers: { 200: ['the revisions, without their documents', object({ revisions: list(REVISION) })] },
    errors: [],
  },
});
