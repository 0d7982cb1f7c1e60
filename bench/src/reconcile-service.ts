/** A process that makes an export of any length: streams it over HTTP, or writes it to a file. */
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MINUTE_MS } from '@writecheck/contract';
import { changedDecision, decisionsOf, recordOf } from './reconcile-history.ts';

const decisions = decisionsOf(process.env);
const HEADER =
  '{"kind":"header","version":"writecheck.export.v1","workspace":"ws_1","logs":[{"log":"w1","checkpoint":"none"}]}\n';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const LINES_A_CHUNK = 200;
/** A record of a real check is this long; a file of ten million has to fit on the disk. */
const FILLER = 'evaluations '.repeat(Number(process.env.BENCH_FILLER ?? 60));

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

function decisionLine(i: number, index: number): string {
  const { id, atMs, intent } = recordOf(i);
  const leaf =
    `{"audit_id":"aud_${id}","decision":"allow","decision_id":"dec_${id}","evaluatedDecision":"allow"` +
    `,"intentDigest":"${DIGEST}","keyId":"key_1","keyKind":"live","log":"w1","policyRef":null` +
    `,"reason_code":"requirements_met","recordDigest":"${DIGEST}","timestamp":"${isoOf(atMs)}"` +
    `,"validUntil":"${isoOf(atMs + 5 * MINUTE_MS)}","workspace":"ws_1"}`;
  const record =
    `{"version":"writecheck.record.v1","decision_id":"dec_${id}","filler":"${FILLER}"` +
    `,"intent":${intent}}`;
  return (
    `{"kind":"entry","log":"w1","index":${index},"leaf":"${Buffer.from(leaf).toString('base64')}"` +
    `,"record":"${Buffer.from(record).toString('base64')}"}\n`
  );
}

function redemptionLine(i: number, index: number): string {
  const { id, atMs } = recordOf(i);
  const leaf =
    `{"decision_id":"dec_${id}","intentDigest":"${DIGEST}","keyId":"key_1","keyKind":"live"` +
    `,"kind":"redemption","log":"w1","timestamp":"${isoOf(atMs + 1_000)}","workspace":"ws_1"}`;
  return `{"kind":"entry","log":"w1","index":${index},"leaf":"${Buffer.from(leaf).toString('base64')}"}\n`;
}

function* exportText(): Generator<string> {
  yield HEADER;
  let lines = 1;
  let text = '';
  for (let i = 0; i < decisions; i += 1) {
    text += decisionLine(i, lines - 1);
    lines += 1;
    if (changedDecision(i) === 'redeemed') {
      text += redemptionLine(i, lines - 1);
      lines += 1;
    }
    if (i % LINES_A_CHUNK !== 0) continue;
    yield text;
    text = '';
  }
  yield `${text}{"kind":"trailer","lines":${lines}}\n`;
}

function serve(): void {
  const server = createServer((_request, response) => {
    Readable.from(exportText()).pipe(response);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) process.stdout.write(`${address.port}\n`);
  });
  // Ends with its parent.
  process.stdin.resume().on('end', () => process.exit(0));
}

const [file] = process.argv.slice(2);
if (file === undefined) serve();
else await pipeline(Readable.from(exportText()), createWriteStream(file));
