/** Exports a workspace's records, for its owner. */
import { AUDIT } from '@writecheck/api';
import type { ExportPlace } from '@writecheck/ledger';
import { implement } from '../../exchange/implement.ts';
import { readQuery } from '../../exchange/read-json.ts';
import { type Refusal, refuseAt } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { exportLog } from './export-log.ts';

const HEADERS = { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' };
const NO_PLACE =
  '`resume` must be base64url of `{lines, log, index, sizes}`, as `writecheck audit export` makes it';
const CHOSEN = 'an export of one key or object cannot be continued; start a new one';
const NO_SINCE =
  '`since` must be base64url of `{"LOG": SIZE}`, as `writecheck audit export` makes it, and cannot come with `resume`';
const GONE = '`resume` names a log or a size that does not exist; start a new export';

export function exportRoute({ store, audit }: ServiceParts): Route {
  return implement(AUDIT.exportLog, async ({ query, actor: { workspace } }) => {
    const read = readQuery(AUDIT.exportLog.query, query);
    if (read.kind === 'refused') return read;
    const { from: fromMs, to: toMs, keyId, objectRef, resume, since: sinceText } = read.value;
    if (resume !== undefined && (keyId !== undefined || objectRef !== undefined)) return refuseResume(CHOSEN);
    const since = sinceText === undefined ? undefined : readSince(sinceText);
    if (since === null || (since !== undefined && resume !== undefined)) return refuseAt('/since', NO_SINCE);
    const place = resume === undefined ? null : readPlace(resume);
    if (resume !== undefined && place === null) return refuseResume(NO_PLACE);
    const heads = await store.logs();
    const sizeOf = (log: string) => heads.find((head) => head.log === log)?.size ?? -1;
    if (place !== null && Object.entries(place.sizes).some(([log, size]) => size > sizeOf(log)))
      return refuseResume(GONE);
    const wanted = { workspace, fromMs, toMs, keyId, objectRef, since };
    const stream = exportLog({ store, notary: audit.notary }, wanted, place);
    return {
      status: 200,
      headers: HEADERS,
      body: null,
      stream: place === null ? stream : await begun(stream),
    };
  });
}

/** Whoever continues hears why the first attempt broke, if that still is so: a stream can only be cut. */
async function begun(stream: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await stream.next();
  async function* all() {
    if (first.done !== true) yield first.value;
    yield* stream;
  }
  return all();
}

function refuseResume(message: string): Refusal {
  return refuseAt('/resume', message);
}

function readSince(text: string): { readonly [log: string]: number } | null {
  try {
    const sizes = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isSizes = typeof sizes === 'object' && sizes !== null && !Array.isArray(sizes);
    return isSizes && Object.values(sizes).every(isCount) ? sizes : null;
  } catch {
    return null;
  }
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
