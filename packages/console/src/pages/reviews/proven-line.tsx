/** After a rejection: the stopped write and the rejection are entries of the log, and this browser has checked that they are. */

import type { Review } from '@writecheck/api';
import { part, success } from '../../api.ts';
import { readDecision } from '../../calls/decisions.ts';
import { pinnedKey } from '../../components/decision/pinned-key.ts';
import { loadAndCheck } from '../../components/decision/receipt-card.tsx';
import { DecisionGlyph } from '../../components/decision-badge.tsx';
import { mapped } from '../../replies.ts';
import { href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { useLoad } from '../../use-load.ts';

/** INVARIANT: nothing is claimed before its proof has verified; a failure is the decision page's to explain. */
export function ProvenLine({ review: { id, decisionId, verdicts } }: { readonly review: Review }) {
  const pinned = useStore(pinnedKey);
  // Only owners and auditors may read entries other than decisions.
  const mayRead = useRight('listEntries');
  const at = verdicts.find(({ verdict }) => verdict === 'reject')?.at;
  const stopped = useLoad(`stopped ${decisionId} ${pinned}`, async (signal) => {
    const read = await readDecision(decisionId, signal);
    if (read.kind === 'failure') return read;
    const checked = await loadAndCheck(read.value, pinned, signal);
    return mapped(checked, ({ reading, receipt }) => (reading?.isProven ? receipt.index + 1 : null));
  });
  const rejected = useLoad(`rejected ${id} ${at} ${mayRead} ${pinned}`, async (signal) => {
    if (!mayRead || at === undefined) return success(null);
    const logged = await part(import('../../components/logged-entries.ts'));
    if (logged.kind === 'failure') return logged;
    const { readEntries, verdictIn } = logged.value;
    return mapped(await readEntries(at, signal), (entries) => {
      const entry = entries.find((each) => each.verdict?.ok && verdictIn(each)?.review === id);
      return entry === undefined ? null : entry.receipt.index + 1;
    });
  });
  if (stopped.value === null || rejected.isLoading) return null;
  return (
    <p class="proven" role="status">
      <DecisionGlyph decision="allow" /> Stopped as{' '}
      <a href={href(`/decisions/${decisionId}`)}>entry {stopped.value.toLocaleString('en')} of the log</a>
      {rejected.value !== null && <>, rejected as entry {rejected.value.toLocaleString('en')}</>}, proven in
      this browser.
    </p>
  );
}
