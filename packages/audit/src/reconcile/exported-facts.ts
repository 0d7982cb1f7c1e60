/** Reads decisions, redemptions and outcomes from the lines of an export, and refuses one that is cut. */
import {
  decodeBase64,
  type ExportEntry,
  parseEntry,
  parseExportLine,
  type RecordedIntent,
  recordedIntent,
} from '@writecheck/ledger';
import { undetermined } from '../fail.ts';
import type { DecisionFact } from './decision-fact.ts';

export type ExportedFact =
  | {
      readonly kind: 'decision';
      readonly fact: Omit<DecisionFact, 'value' | 'isRedeemed' | 'outcome'>;
      readonly intent: RecordedIntent;
    }
  | { readonly kind: 'redemption'; readonly decisionId: string }
  /** `isJudged`: the caller reported it, not an owner. */
  | {
      readonly kind: 'outcome';
      readonly decisionId: string;
      readonly result: string;
      readonly isJudged: boolean;
    }
  /** An entry shown by its hash: another workspace's, pruned, or left out by a filter. */
  | { readonly kind: 'hidden' };

/** `name` is what errors call the export. */
export async function* exportedFacts(
  lines: AsyncIterable<{ readonly text: string }>,
  name: string,
): AsyncGenerator<ExportedFact> {
  let before = 0;
  let isClosed = false;
  for await (const { text } of lines) {
    const line = isClosed ? null : parseExportLine(text);
    if (line === null || (line.kind === 'header') !== (before === 0)) {
      throw undetermined(`${name}: line ${before + 1} does not belong in an export; fetch it again`);
    }
    if (line.kind === 'trailer') {
      if (line.lines !== before) {
        throw undetermined(`${name}: ${before} of ${line.lines} lines are present; fetch it again`);
      }
      isClosed = true;
    }
    if (line.kind === 'hash') yield { kind: 'hidden' };
    if (line.kind === 'entry') {
      const fact = factOf(line);
      if (fact === 'unreadable') {
        throw undetermined(`${name}: line ${before + 1} is not a log entry; verify the export`);
      }
      if (fact !== null) yield fact;
    }
    before += 1;
  }
  if (!isClosed) throw undetermined(`${name} ends before its trailer: it is truncated; fetch it again`);
}

/** Null for an irrelevant entry. */
function factOf({ leaf: leafText, record: recordText }: ExportEntry): ExportedFact | null | 'unreadable' {
  const leafBytes = decodeBase64(leafText);
  const entry = leafBytes === null ? null : parseEntry(leafBytes);
  if (entry === null) return 'unreadable';
  if (entry.kind === 'redemption') return { kind: 'redemption', decisionId: entry.decision_id };
  if (entry.kind === 'decision.outcome') {
    const { decision_id: decisionId, result, by } = entry;
    return { kind: 'outcome', decisionId, result, isJudged: by.kind !== 'owner_key' && by.kind !== 'person' };
  }
  if (entry.kind !== 'decision') return null;
  const record = recordText === undefined ? null : decodeBase64(recordText);
  if (record === null) return 'unreadable';
  const { leaf } = entry;
  const atMs = Date.parse(leaf.timestamp);
  try {
    return {
      kind: 'decision',
      fact: {
        id: leaf.decision_id,
        decision: leaf.decision,
        atMs,
        untilMs: leaf.validUntil === null ? atMs : Date.parse(leaf.validUntil),
        isDevelopment: leaf.keyKind === 'development',
        isObserved: leaf.decision === 'allow' && leaf.evaluatedDecision !== 'allow',
      },
      intent: recordedIntent(record),
    };
  } catch {
    return 'unreadable';
  }
}
