/**
 * Picks the entries of a log that webhooks may report: all except allows, in workspaces with a webhook.
 */
import { recordedIntent } from '@writecheck/ledger/log';
import type { NotableEntry } from '../port/webhooks.ts';
import type { StoredEntry } from './segment.ts';

/** About how many entries one reading looks at. */
export const NOTABLE_STEP = 1_024;

/** Most decisions are allows, so most leaves are skipped without parsing. */
const ALLOW = Buffer.from('"decision":"allow"');

export function notableIn(
  firstIndex: number,
  entries: readonly StoredEntry[],
  from: number,
  workspaces: ReadonlySet<string>,
): readonly NotableEntry[] {
  const notable: NotableEntry[] = [];
  for (const [i, { record, leaf }] of entries.entries()) {
    const index = firstIndex + i;
    // A pruned entry keeps only its hash.
    if (index < from || leaf.length === 0 || leaf.includes(ALLOW)) continue;
    const entry = JSON.parse(leaf.toString()) as { readonly [member: string]: unknown };
    const { workspace } = entry;
    if (typeof workspace !== 'string' || !workspaces.has(workspace)) continue;
    const decided = 'kind' in entry ? NOT_A_DECISION : decisionOf(record);
    notable.push({ index, workspace, entry, ...decided });
  }
  return notable;
}

const NOT_A_DECISION = { target: null, runId: null };

function decisionOf(record: Buffer): Pick<NotableEntry, 'target' | 'runId'> {
  const { system, objectType, objectRef, field, operation, runId } = recordedIntent(record);
  const target = {
    system,
    objectType: objectType ?? null,
    objectRef: objectRef ?? null,
    field: field ?? null,
    operation: operation ?? null,
  };
  return { target, runId: runId ?? null };
}
