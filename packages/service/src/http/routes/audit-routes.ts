/** What anybody may hold us to: the keys, the logs, their checkpoints and proofs; and an owner's export. */
import { type ExportPlace, encodeBase64, originOf, parseVerifierKeys } from '@writecheck/ledger';
import { exportLog } from '../../audit/export-log.ts';
import { consistencyOf } from '../../audit/log-hashes.ts';
import { problemAnswer } from '../../check-write/answer.ts';
import { bodyOf, type Field, moment, optional } from '../../fields/body-fields.ts';
import { refuse } from '../../refusal.ts';
import type { Answer } from '../answer.ts';
import { json } from '../answer.ts';
import { readQuery } from '../read-json.ts';
import type { Call, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { textSchema } from './shared-schemas.ts';

const TEXT = 'text/plain; charset=utf-8';
const NDJSON = 'application/x-ndjson';

const logName: Field<string> = {
  schema: textSchema,
  isRequired: false,
  read: (value) => ({ value: String(value) }),
};
const count: Field<number> = {
  schema: { type: 'integer', minimum: 0 },
  isRequired: true,
  read: (value) =>
    /^\d{1,15}$/.test(String(value)) ? { value: Number(value) } : { fault: 'must be a whole number' },
};
const place: Field<ExportPlace> = {
  schema: textSchema,
  isRequired: false,
  read: (value) => {
    const read = readPlace(String(value));
    return read === null
      ? { fault: 'must be base64url of `{lines, log, index, sizes}`, as `writecheck audit export` makes it' }
      : { value: read };
  },
};

const OF_LOG = bodyOf({ log: optional(logName) });
const CONSISTENCY = bodyOf({ log: optional(logName), from: count, to: count });
const EXPORT = bodyOf({ from: optional(moment), to: optional(moment), resume: optional(place) });

const LOG_QUERY = { log: { description: 'the log; the open one where left out', schema: textSchema } };

export function auditRoutes({ store, audit }: ServiceParts): readonly Route[] {
  const noSuchLog = (call: Call) =>
    problemAnswer(call.context, refuse('not_found', 'there is no such log; see `/v1/audit/logs`'));
  return [
    {
      method: 'GET',
      path: '/v1/audit/key',
      access: 'open',
      described: {
        operationId: 'auditKey',
        summary: 'the keys that sign the log as note verifier lines, the current one first',
        success: {
          200: { description: 'one line for each key', mediaType: 'text/plain', schema: textSchema },
        },
        errors: [],
      },
      handle: async () => plain(`${(await audit.notary.verifierKeys()).join('\n')}\n`),
    },
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      access: 'open',
      described: {
        operationId: 'jwks',
        summary: 'the same keys as JWKs',
        success: {
          200: {
            description: 'a JWK set',
            schema: { type: 'object', properties: { keys: { type: 'array' } }, required: ['keys'] },
          },
        },
        errors: [],
      },
      handle: async () => json(200, { keys: jwksOf(await audit.notary.verifierKeys()) }),
    },
    {
      method: 'GET',
      path: '/v1/audit/logs',
      access: 'open',
      described: {
        operationId: 'listLogs',
        summary: 'the logs, oldest first; every process that records decisions has one that is open',
        success: {
          200: {
            description: 'the logs',
            schema: {
              type: 'object',
              properties: {
                logs: {
                  type: 'array',
                  items: {
                    type: 'object',
                    properties: {
                      log: textSchema,
                      origin: textSchema,
                      size: { type: 'integer' },
                      isOpen: { type: 'boolean' },
                    },
                    required: ['log', 'origin', 'size', 'isOpen'],
                  },
                },
              },
              required: ['logs'],
            },
          },
        },
        errors: [],
      },
      handle: async () => {
        const logs = (await store.logs()).map(({ log, size, isOpen = log === store.log }) => ({
          ...{ log, origin: originOf(log), size, isOpen },
        }));
        return json(200, { logs });
      },
    },
    {
      method: 'GET',
      path: '/v1/audit/checkpoint',
      access: 'open',
      described: {
        operationId: 'checkpoint',
        summary: 'the newest checkpoint of a log, a signed note',
        query: LOG_QUERY,
        success: { 200: { description: 'the note', mediaType: 'text/plain', schema: textSchema } },
        errors: ['not_found', 'invalid_request'],
      },
      handle: async (call) => {
        const read = readQuery(OF_LOG, call.query);
        if (read.kind === 'refused') return problemAnswer(call.context, read);
        const newest = await audit.notary.newest(read.value.log ?? store.log);
        return newest === null ? noSuchLog(call) : plain(newest.note);
      },
    },
    {
      method: 'GET',
      path: '/v1/audit/consistency',
      access: 'open',
      described: {
        operationId: 'consistency',
        summary: 'the proof that a log of `to` entries begins with the one of `from` entries',
        query: {
          ...LOG_QUERY,
          from: { description: 'size of the older checkpoint', schema: count.schema },
          to: { description: 'size of the newer checkpoint', schema: count.schema },
        },
        success: {
          200: {
            description: 'hashes in base64',
            schema: {
              type: 'object',
              properties: { proof: { type: 'array', items: textSchema } },
              required: ['proof'],
            },
          },
        },
        errors: ['not_found', 'invalid_request'],
      },
      handle: async (call) => {
        const read = readQuery(CONSISTENCY, call.query);
        if (read.kind === 'refused') return problemAnswer(call.context, read);
        const { log = store.log, from, to } = read.value;
        const head = (await store.logs()).find((each) => each.log === log);
        if (head === undefined) return noSuchLog(call);
        if (from > to || to > head.size) {
          const message = `\`from\` to \`to\` must lie within the ${head.size} entries of the log`;
          return problemAnswer(
            call.context,
            refuse('invalid_request', message, [{ pointer: '/to', message }]),
          );
        }
        const proof = await consistencyOf(store, log, from, to);
        return json(200, { proof: proof.map(encodeBase64) });
      },
    },
    {
      method: 'GET',
      path: '/v1/audit/export',
      access: 'owner',
      described: {
        operationId: 'exportLog',
        summary: 'the records and leaves of the workspace, and the hashes of all others, as NDJSON',
        query: {
          from: { description: 'records from this moment on', schema: moment.schema },
          to: { description: 'records before this moment', schema: moment.schema },
          resume: { description: 'where an export that broke off goes on', schema: textSchema },
        },
        success: { 200: { description: 'writecheck.export.v1', mediaType: NDJSON, schema: textSchema } },
        errors: ['invalid_request'],
      },
      handle: async (call) => {
        const read = readQuery(EXPORT, call.query);
        if (read.kind === 'refused') return problemAnswer(call.context, read);
        const { from: fromMs, to: toMs, resume = null } = read.value;
        const heads = await store.logs();
        const sizeOf = (log: string) => heads.find((head) => head.log === log)?.size ?? -1;
        if (resume !== null && Object.entries(resume.sizes).some(([log, size]) => size > sizeOf(log))) {
          const message = '`resume` names a log or a size that is not there; begin a new export';
          return problemAnswer(
            call.context,
            refuse('invalid_request', message, [{ pointer: '/resume', message }]),
          );
        }
        const query = {
          workspace: call.key.workspace,
          ...(fromMs === undefined ? {} : { fromMs }),
          ...(toMs === undefined ? {} : { toMs }),
        };
        const stream = exportLog({ store, notary: audit.notary }, query, resume);
        return {
          status: 200,
          headers: { 'content-type': NDJSON, 'cache-control': 'no-store' },
          body: null,
          stream,
        };
      },
    },
  ];
}

function plain(body: string): Answer {
  return { status: 200, headers: { 'content-type': TEXT, 'cache-control': 'no-store' }, body };
}

function jwksOf(lines: readonly string[]): readonly object[] {
  return (parseVerifierKeys(lines) ?? []).map(({ name, id, publicKey }) => ({
    ...{ kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
    ...{ kid: `${name}+${id}`, alg: 'EdDSA', use: 'sig' },
  }));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function readPlace(text: string): ExportPlace | null {
  try {
    const { lines, log, index, sizes } = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!isCount(lines) || lines < 2 || !isCount(index) || typeof sizes !== 'object' || sizes === null)
      return null;
    const isWhole = Object.values(sizes).every(isCount) && Object.hasOwn(sizes, log) && index < sizes[log];
    return isWhole ? { lines, log, index, sizes } : null;
  } catch {
    return null;
  }
}
