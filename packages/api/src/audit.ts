/** Operations on what anybody may verify (the keys, the logs, their checkpoints and proofs), and an owner's export. */
import { RECEIPT } from './decisions.ts';
import { bodyOf, boundary, type Field, flag, moment, optional } from './fields.ts';
import { operations } from './operation.ts';
import { described, list, object, shape, type TypeOf, text, whole } from './shape.ts';

const anything: Field<string> = { ...text, read: (value) => ({ value: String(value) }) };
const log = described('the log; default: the open one', optional(anything));
const size: Field<number> = {
  schema: { type: 'integer', minimum: 0 },
  isRequired: true,
  read: (value) =>
    /^\d{1,15}$/.test(String(value)) ? { value: Number(value) } : { fault: 'must be a whole number' },
};
/** The `leaf` of the receipt is the entry. */
const CHANGE = object({ log: text, receipt: RECEIPT });
const LOG = object({ log: text, origin: text, size: whole, isOpen: flag });

export type LoggedChange = TypeOf<typeof CHANGE>;
export type AuditLog = TypeOf<typeof LOG>;

export const AUDIT = operations({
  auditKey: {
    route: 'GET /v1/audit/key',
    access: 'open',
    summary: 'the keys that sign the log as note verifier lines, the current one first',
    answers: { 200: ['one line for each key', text, 'text/plain'] },
    errors: [],
  },
  jwks: {
    route: 'GET /.well-known/jwks.json',
    access: 'open',
    summary: 'the same keys as JWKs',
    answers: { 200: ['a JWK set', object({ keys: shape<readonly object[]>({ type: 'array' }) })] },
    errors: [],
  },
  listLogs: {
    route: 'GET /v1/audit/logs',
    access: 'open',
    summary: 'the logs, oldest first; every process that records decisions has one that is open',
    answers: { 200: ['the logs', object({ logs: list(LOG) })] },
    errors: [],
  },
  checkpoint: {
    route: 'GET /v1/audit/checkpoint',
    access: 'open',
    summary: 'the newest checkpoint of a log, a signed note',
    query: bodyOf({ log }),
    answers: { 200: ['the note', text, 'text/plain'] },
    errors: ['not_found', 'invalid_request'],
  },
  consistency: {
    route: 'GET /v1/audit/consistency',
    access: 'open',
    summary: 'the proof that a log of `to` entries begins with the one of `from` entries',
    query: bodyOf({
      log,
      from: described('size of the older checkpoint', size),
      to: described('size of the newer checkpoint', size),
    }),
    answers: { 200: ['hashes in base64', object({ proof: list(text) })] },
    errors: ['not_found', 'invalid_request'],
  },
  listEntries: {
    route: 'GET /v1/audit/entries',
    access: 'managing',
    summary: 'what people and owner keys changed at one moment: the entries of the log, each with its proof',
    query: bodyOf({ at: described('the time of the change, as any list says it', moment) }),
    answers: {
      200: [
        'receipts; the `leaf` of each is the entry. None if nothing was recorded then',
        object({ entries: list(CHANGE) }),
      ],
    },
    errors: ['invalid_request'],
  },
  exportLog: {
    route: 'GET /v1/audit/export',
    access: 'managing',
    summary: 'the records and leaves of the workspace, and the hashes of all others, as NDJSON',
    query: bodyOf({
      from: described('records from this time on', optional(boundary)),
      to: described('records before this time', optional(boundary)),
      keyId: described(
        'only decisions that this key asked for, with their redemptions and outcomes',
        optional(anything),
      ),
      objectRef: described(
        'only decisions about this object, with their redemptions and outcomes',
        optional(anything),
      ),
      resume: described(
        'where to continue an interrupted export; not with `keyId` or `objectRef`',
        optional(anything),
      ),
      since: described(
        'base64url of `{"LOG": SIZE}`: each log begins after its first SIZE entries, for a reader who trusts a checkpoint of that size; not with `resume`',
        optional(anything),
      ),
    }),
    answers: { 200: ['writecheck.export.v1', text, 'application/x-ndjson'] },
    errors: ['invalid_request', 'overloaded'],
  },
});
