/** Serves what anybody may verify (keys, logs, checkpoints, proofs), and the export of a workspace to its owner. */
import { AUDIT } from '@writecheck/api';
import { isObject } from '@writecheck/contract';
import type { ExportPlace } from '@writecheck/ledger';
import { encodeBase64, isCount, originOf, parseVerifierKeys } from '@writecheck/ledger/log';
import { answer, answerText, implement } from '../../exchange/implement.ts';
import { type Refusal, refuse, refuseAt } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { exportLog } from './export-log.ts';
import { consistencyOf } from './log-hashes.ts';

const NO_LOG = refuse('not_found', 'there is no such log; see `/v1/audit/logs`');

export function auditRoutes({ store, audit, exports }: ServiceParts): readonly Route[] {
  return [
    implement(AUDIT.auditKey, async () =>
      answerText(AUDIT.auditKey, 200, `${(await audit.notary.verifierKeys()).join('\n')}\n`),
    ),
    implement(AUDIT.jwks, async () =>
      answer(AUDIT.jwks, 200, { keys: jwksOf(await audit.notary.verifierKeys()) }),
    ),
    implement(AUDIT.listLogs, async () => {
      const logs = (await store.logs()).map(({ log, size, isOpen = log === store.log }) => ({
        log,
        origin: originOf(log),
        size,
        isOpen,
      }));
      return answer(AUDIT.listLogs, 200, { logs });
    }),
    implement(AUDIT.checkpoint, async ({ query }) => {
      const newest = await audit.notary.newest(query.log ?? store.log);
      return newest === null ? NO_LOG : answerText(AUDIT.checkpoint, 200, newest.note);
    }),
    implement(AUDIT.consistency, async ({ query: { log = store.log, from, to } }) => {
      const head = (await store.logs()).find((each) => each.log === log);
      if (head === undefined) return NO_LOG;
      if (from > to || to > head.size) {
        const message = `\`from\` to \`to\` must lie within the ${head.size} entries of the log`;
        return refuseAt('/to', message);
      }
      const proof = await consistencyOf(store, log, from, to);
      return answer(AUDIT.consistency, 200, { proof: proof.map(encodeBase64) });
    }),
    implement(AUDIT.listEntries, async ({ actor, query }) => {
      const found = await store.entriesAt(actor.workspace, query.at);
      const entries = await Promise.all(
        found.map(async (entry) => ({ log: entry.log, receipt: await audit.notary.receiptFor(entry) })),
      );
      return answer(AUDIT.listEntries, 200, { entries });
    }),
    implement(AUDIT.exportLog, async ({ query, actor: { workspace } }) => {
      const { from: fromMs, to: toMs, keyId, objectRef, resume, since: sinceText } = query;
      if (resume !== undefined && (keyId !== undefined || objectRef !== undefined))
        return refuseResume(CHOSEN);
      const since = sinceText === undefined ? undefined : readSince(sinceText);
      if (since === null || (since !== undefined && resume !== undefined))
        return refuseAt('/since', NO_SINCE);
      const place = resume === undefined ? null : readPlace(resume);
      if (resume !== undefined && place === null) return refuseResume(NO_PLACE);
      const heads = await store.logs();
      const sizeOf = (log: string) => heads.find((head) => head.log === log)?.size ?? -1;
      if (place !== null && Object.entries(place.sizes).some(([log, size]) => size > sizeOf(log)))
        return refuseResume(GONE);
      const wanted = { workspace, fromMs, toMs, keyId, objectRef, since };
      const giveBack = exports.take(workspace);
      if (typeof giveBack !== 'function') return giveBack;
      const stream = exportLog({ store, notary: audit.notary }, wanted, place);
      return answerText(AUDIT.exportLog, 200, await begun(stream, giveBack));
    }),
  ];
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

const NO_PLACE =
  '`resume` must be base64url of `{lines, log, index, sizes}`, as `writecheck audit export` makes it';
const CHOSEN = 'an export of one key or object cannot be continued; start a new one';
const NO_SINCE =
  '`since` must be base64url of `{"LOG": SIZE}`, as `writecheck audit export` makes it, and cannot come with `resume`';
const GONE = '`resume` names a log or a size that does not exist; start a new export';

/** Reads the first chunk before responding, so that an error becomes a status and not a truncated stream. */
async function begun(stream: AsyncGenerator<string>, ended: () => void): Promise<AsyncGenerator<string>> {
  const all = holding(stream, ended);
  // INVARIANT: from here on it gives its place back however it ends; a generator that never began would not.
  await all.next();
  return all;
}

async function* holding(stream: AsyncGenerator<string>, ended: () => void): AsyncGenerator<string> {
  try {
    const first = await stream.next();
    yield '';
    if (first.done !== true) yield first.value;
    yield* stream;
  } finally {
    ended();
  }
}

function refuseResume(message: string): Refusal {
  return refuseAt('/resume', message);
}

function readSince(text: string): { readonly [log: string]: number } | null {
  try {
    const sizes: { readonly [log: string]: number } = JSON.parse(Buffer.from(text, 'base64url').toString());
    return isObject(sizes) && Object.values(sizes).every(isCount) ? sizes : null;
  } catch {
    return null;
  }
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
