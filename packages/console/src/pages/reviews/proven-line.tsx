/** After a verdict: the stopped write is an entry of the log, and this browser has checked that it is. */
import { success } from '../../api.ts';
import { readDecision } from '../../calls/decisions.ts';
import { pinnedKey } from '../../components/decision/pinned-key.ts';
import { loadAndCheck } from '../../components/decision/receipt-card.tsx';
import { DecisionGlyph } from '../../components/decision-badge.tsx';
import { href } from '../../state/route.ts';
import { useStore } from '../../state/store.ts';
import { useLoad } from '../../use-load.ts';

/** INVARIANT: nothing is claimed before the receipt has verified; a failure is the decision page's to explain. */
export function ProvenLine({ decisionId }: { readonly decisionId: string }) {
  const pinned = useStore(pinnedKey);
  const { value } = useLoad(`proven ${decisionId} ${pinned}`, async (signal) => {
    const read = await readDecision(decisionId, signal);
    if (read.kind === 'failure') return read;
    const checked = await loadAndCheck(read.value, pinned, signal);
    if (checked.kind === 'failure') return checked;
    const { reading, receipt } = checked.value;
    return success(reading?.isProven ? receipt.index + 1 : null);
  });
  if (value === null) return null;
  return (
    <p class="proven" role="status">
      <DecisionGlyph decision="allow" /> The stopped write is{' '}
      <a href={href(`/decisions/${decisionId}`)}>entry {value.toLocaleString('en')} of the log</a>, proven in
      this browser.
    </p>
  );
}
