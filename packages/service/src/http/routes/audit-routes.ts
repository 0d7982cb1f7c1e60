/** What anybody may verify: the keys, the logs, their checkpoints and proofs. */
import { bodyOf, type Field, optional } from '@writecheck/api';
import { encodeBase64, originOf, parseVerifierKeys } from '@writecheck/ledger';
import type { Answer } from '../../answer.ts';
import { json } from '../../answer.ts';
import { consistencyOf } from '../../audit/log-hashes.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { refuse } from '../../refusal.ts';
import { readQuery } from '../read-json.ts';
import type { Call, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { textSchema } from './shared-schemas.ts';

const TEXT = 'text/plain; charset=utf-8';

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
const OF_LOG = bodyOf({ log: optional(logName) });
const CONSISTENCY = bodyOf({ log: optional(logName), from: count, to: count });

const LOG_QUERY = { log: { description: 'the log; default: the open one', schema: textSchema } };

export function auditRoutes(parts: ServiceParts): readonly Route[] {
  return [
    keyRoute(parts),
    jwksRoute(parts),
    logsRoute(parts),
    checkpointRoute(parts),
    consistencyRoute(parts),
  ];
}

function keyRoute({ audit }: ServiceParts): Route {
  return {
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
  };
}

const JWKS = { type: 'object', properties: { keys: { type: 'array' } }, required: ['keys'] };

function jwksRoute({ audit }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/.well-known/jwks.json',
    access: 'open',
    described: {
      operationId: 'jwks',
      summary: 'the same keys as JWKs',
      success: {
        200: {
          description: 'a JWK set',
          schema: JWKS,
        },
      },
      errors: [],
    },
    handle: async () => json(200, { keys: jwksOf(await audit.notary.verifierKeys()) }),
  };
}

const LOGS = {
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
};

function logsRoute({ store }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/audit/logs',
    access: 'open',
    described: {
      operationId: 'listLogs',
      summary: 'the logs, oldest first; every process that records decisions has one that is open',
      success: {
        200: {
          description: 'the logs',
          schema: LOGS,
        },
      },
      errors: [],
    },
    handle: async () => {
      const logs = (await store.logs()).map(({ log, size, isOpen = log === store.log }) => ({
        log,
        origin: originOf(log),
        size,
        isOpen,
      }));
      return json(200, { logs });
    },
  };
}

function checkpointRoute({ store, audit }: ServiceParts): Route {
  return {
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
  };
}

const PROOF = {
  type: 'object',
  properties: { proof: { type: 'array', items: textSchema } },
  required: ['proof'],
};

function consistencyRoute({ store }: ServiceParts): Route {
  return {
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
          schema: PROOF,
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
        return problemAnswer(call.context, refuse('invalid_request', message, [{ pointer: '/to', message }]));
      }
      const proof = await consistencyOf(store, log, from, to);
      return json(200, { proof: proof.map(encodeBase64) });
    },
  };
}

function noSuchLog({ context }: Call): Answer {
  return problemAnswer(context, refuse('not_found', 'there is no such log; see `/v1/audit/logs`'));
}

function plain(body: string): Answer {
  return { status: 200, headers: { 'content-type': TEXT, 'cache-control': 'no-store' }, body };
}

function jwksOf(lines: readonly string[]): readonly object[] {
  return (parseVerifierKeys(lines) ?? []).map(({ name, id, publicKey }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x: Buffer.from(publicKey).toString('base64url'),
    kid: `${name}+${id}`,
    alg: 'EdDSA',
    use: 'sig',
  }));
}
