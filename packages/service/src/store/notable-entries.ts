/** Picks the entries of a log that webhooks may report: everything but allows, of workspaces that have a webhook. */
import { recordedIntent } from '@writecheck/ledger';
import type { NotableEntry } from './port/webhooks.ts';
import type { StoredEntry } from './segment.ts';

/** About how many entries one reading looks at. */
export const NOTABLE_STEP = 1_024;

/** Most decisions are allows, so most leaves are passed over without being parsed. */
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
    notable.push({ index, workspace, entry, target: 'kind' in entry ? null : targetOf(record) });
  }
  return notable;
}

function targetOf(record: Buffer): NotableEntry['target'] {
  const { system, objectType, objectRef, field, operation } = recordedIntent(record);
  return {
    system,
    objectType: objectType ?? null,
    objectRef: objectRef ?? null,
    field: field ?? null,
    operation: operation ?? null,
  };
}
