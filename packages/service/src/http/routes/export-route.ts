/** Exports a workspace's records, for its owner. */
import { bodyOf, boundary, type Field, optional } from '@writecheck/api';
import type { ExportPlace } from '@writecheck/ledger';
import { exportLog } from '../../audit/export-log.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { refuse } from '../../refusal.ts';
import { readQuery } from '../read-json.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { textSchema } from './shared-schemas.ts';

const NDJSON = 'application/x-ndjson';

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

const EXPORT = bodyOf({ from: optional(boundary), to: optional(boundary), resume: optional(place) });

export function exportRoute({ store, audit }: ServiceParts): Route {
  return {
    method: 'GET',
    path: '/v1/audit/export',
    access: 'managing',
    described: {
      operationId: 'exportLog',
      summary: 'the records and leaves of the workspace, and the hashes of all others, as NDJSON',
      query: {
        from: { description: 'records from this time on', schema: boundary.schema },
        to: { description: 'records before this time', schema: boundary.schema },
        resume: { description: 'where to continue an interrupted export', schema: textSchema },
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
        const message = '`resume` names a log or a size that does not exist; start a new export';
        return problemAnswer(
          call.context,
          refuse('invalid_request', message, [{ pointer: '/resume', message }]),
        );
      }
      const query = {
        workspace: call.actor.workspace,
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
  };
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
