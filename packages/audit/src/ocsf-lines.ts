/** Turns an export into OCSF events: one line for each decision whose record is in it. */
import {
  decodeBase64,
  type OcsfTarget,
  ocsfDecision,
  parseEntry,
  parseExportLine,
  readRecord,
} from '@writecheck/ledger';
import { undetermined } from './fail.ts';
import { linesIn } from './files.ts';

export async function* ocsfLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let isClosed = false;
  for await (const { text } of linesIn(chunks)) {
    const line = parseExportLine(text);
    if (line === null) throw undetermined('what the service sent is not an export');
    if (line.kind === 'trailer') isClosed = true;
    if (line.kind !== 'entry' || line.record === undefined) continue;
    const event = eventOf(line.leaf, line.record);
    if (event !== null) yield `${JSON.stringify(event)}\n`;
  }
  if (!isClosed) throw undetermined('the export ends before its trailer: it is truncated');
}

/** Null for entries that are not decisions. */
function eventOf(leafText: string, recordText: string): object | null {
  const leaf = decodeBase64(leafText);
  const bytes = decodeBase64(recordText);
  if (leaf === null || bytes === null) throw undetermined('an entry of the export is not base64');
  if (parseEntry(leaf)?.kind !== 'decision') return null;
  const { decision, timestamp, intentText, ...record } = readRecord(bytes);
  const intent = JSON.parse(intentText) as OcsfTarget & {
    readonly runId?: string | null;
    readonly metadata?: { readonly agent?: string | null } | null;
  };
  return ocsfDecision({
    ...record,
    atMs: Date.parse(timestamp),
    decision: decision.decision,
    evaluatedDecision: decision.evaluatedDecision,
    reasonCode: decision.reasonCode,
    agent: intent.metadata?.agent ?? null,
    runId: intent.runId ?? null,
    target: intent,
  });
}
