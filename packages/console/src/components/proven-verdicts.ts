/** The log's entries of the verdicts on some reviews, each with its proof and the entries that say whose passkey signed it. */
import type { LoggedChange, Review } from '@writecheck/api';
import type { Reply } from '../api.ts';
import { readEntries, signatureOf, verdictIn } from './logged-entries.ts';

interface ProvenVerdict {
  readonly entry: LoggedChange;
  /** Each `leaf` holds a public key, or says that one counts no more. */
  readonly registered: readonly LoggedChange[];
}

/** INVARIANT: a pack that lacks a part is not saved. */
export function needed<T>(reply: Reply<T>): T {
  if (reply.kind === 'failure') throw new Error(reply.message);
  return reply.value;
}

export async function provenVerdicts(
  reviews: readonly Review[],
  signal: AbortSignal,
): Promise<readonly ProvenVerdict[]> {
  const found: ProvenVerdict[] = [];
  for (const { id, verdicts } of reviews)
    for (const at of new Set(verdicts.map((each) => each.at)))
      for (const each of needed(await readEntries(at, signal))) {
        const entry = verdictIn(each);
        if (entry?.review !== id) continue;
        const signature = needed(await signatureOf(entry, signal));
        found.push({ entry: bare(each), registered: (signature?.registered ?? []).map(bare) });
      }
  return found;
}

function bare({ log, receipt }: LoggedChange): LoggedChange {
  return { log, receipt };
}
