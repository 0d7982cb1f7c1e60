/** A change as the log has it: the entries of its moment, each proven in this browser. */
import type { LoggedChange } from '@writecheck/api';
import { decodeBase64, type EntryVerdict, verifyEntry } from '@writecheck/ledger';
import { call, type Reply, success } from '../../api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { pinnedKey } from '../../components/decision/pinned-key.ts';
import { DecisionGlyph } from '../../components/decision-badge.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { Skeleton } from '../../components/page.tsx';
import { useLoad } from '../../use-load.ts';

interface Checked extends LoggedChange {
  /** Null if this browser has no cryptography, as without a secure origin. */
  readonly verdict: EntryVerdict | null;
}

async function readEntries(at: string, signal: AbortSignal): Promise<Reply<readonly Checked[]>> {
  const [found, keys] = await Promise.all([
    call('GET /v1/audit/entries', { query: { at }, signal }),
    call('GET /v1/audit/key', { isText: true, signal }),
  ]);
  if (found.kind === 'failure') return found;
  if (keys.kind === 'failure') return keys;
  // A pinned key counts for more than what the service says about itself.
  const trusted = pinnedKey.get() ?? keys.value;
  const canVerify = window.isSecureContext;
  return success(
    await Promise.all(
      found.value.entries.map(async (each) => ({
        ...each,
        verdict: canVerify ? await verifyEntry(each.receipt, trusted) : null,
      })),
    ),
  );
}

export function EntrySheet({
  at,
  what,
  onClose,
}: {
  readonly at: string;
  readonly what: preact.ComponentChildren;
  readonly onClose: () => void;
}) {
  const { value, failure, reload } = useLoad(`entries ${at}`, (signal) => readEntries(at, signal));
  return (
    <Dialog kind="sheet" title="In the log" onClose={onClose}>
      <p>{what}</p>
      <p class="quiet">
        <Moment at={at} as="full" />
      </p>
      <ErrorNote failure={failure} onRetry={reload} />
      {value === null && failure === null && <Skeleton lines={6} />}
      {value?.length === 0 && (
        <p class="note">The log has no entry of this moment. The first keys of a workspace have none.</p>
      )}
      {value?.map((each) => (
        <LoggedEntry key={`${each.log} ${each.receipt.index}`} of={each} />
      ))}
      <div class="row dialog-actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function LoggedEntry({ of: { log, receipt, verdict } }: { readonly of: Checked }) {
  const number = (receipt.index + 1).toLocaleString('en');
  return (
    <section class="card" aria-label={`Entry ${number}`}>
      <div class="row">
        <h3>Entry {number}</h3>
        {verdict !== null && (
          <span class={`verdict ${verdict.ok ? 'allow' : 'block'}`} role="status">
            <DecisionGlyph decision={verdict.ok ? 'allow' : 'block'} />
            {verdict.ok ? 'verified in this browser' : `does not verify: ${verdict.message}`}
          </span>
        )}
      </div>
      <p class="quiet small-text">
        of <code>{log}</code>, which had {receipt.treeSize.toLocaleString('en')} entries then
      </p>
      <pre>{written(receipt.leaf)}</pre>
      <p>
        <CopyButton text={JSON.stringify(receipt)} what="the receipt" />
      </p>
    </section>
  );
}

/** As recorded, with line breaks. */
function written(leaf: string): string {
  const bytes = decodeBase64(leaf);
  if (bytes === null) return leaf;
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
