/** What anybody may verify: the keys, the logs, their checkpoints and proofs. */
import { AUDIT } from '@writecheck/api';
import { encodeBase64, originOf, parseVerifierKeys } from '@writecheck/ledger/log';
import type { Answer } from '../../exchange/answer.ts';
import { answer, implement } from '../../exchange/implement.ts';
import { readQuery } from '../../exchange/read-json.ts';
import { refuse, refuseAt } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { consistencyOf } from './log-hashes.ts';

const TEXT = 'text/plain; charset=utf-8';
const NO_LOG = refuse('not_found', 'there is no such log; see `/v1/audit/logs`');

export function auditRoutes({ store, audit }: ServiceParts): readonly Route[] {
  return [
    implement(AUDIT.auditKey, async () => plain(`${(await audit.notary.verifierKeys()).join('\n')}\n`)),
    implement(AUDIT.jwks, async () =>
      answer(AUDIT.jwks, { keys: jwksOf(await audit.notary.verifierKeys()) }),
    ),
    implement(AUDIT.listLogs, async () => {
      const logs = (await store.logs()).map(({ log, size, isOpen = log === store.log }) => ({
        log,
        origin: originOf(log),
        size,
        isOpen,
      }));
      return answer(AUDIT.listLogs, { logs });
    }),
    implement(AUDIT.checkpoint, async ({ query }) => {
      const read = readQuery(AUDIT.checkpoint.query, query);
      if (read.kind === 'refused') return read;
      const newest = await audit.notary.newest(read.value.log ?? store.log);
      return newest === null ? NO_LOG : plain(newest.note);
    }),
    implement(AUDIT.consistency, async ({ query }) => {
      const read = readQuery(AUDIT.consistency.query, query);
      if (read.kind === 'refused') return read;
      const { log = store.log, from, to } = read.value;
      const head = (await store.logs()).find((each) => each.log === log);
      if (head === undefined) return NO_LOG;
      if (from > to || to > head.size) {
        const message = `\`from\` to \`to\` must lie within the ${head.size} entries of the log`;
        return refuseAt('/to', message);
      }
      const proof = await consistencyOf(store, log, from, to);
      return answer(AUDIT.consistency, { proof: proof.map(encodeBase64) });
    }),
  ];
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
