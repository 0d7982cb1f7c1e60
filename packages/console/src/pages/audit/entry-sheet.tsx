/** A change as the log has it: the entries of its moment, each proven in this browser. */
import { decodeBase64 } from '@writecheck/ledger';
import { success } from '../../api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Check } from '../../components/decision/receipt-card.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { type LoggedEntry, readEntries, signatureOf, verdictIn } from '../../components/logged-entries.ts';
import { Moment } from '../../components/moment.tsx';
import { Skeleton } from '../../components/page.tsx';
import { Told } from '../../components/text.tsx';
import { useLoad } from '../../use-load.ts';

export function EntrySheet({
  at,
  what,
  by,
  onClose,
}: {
  readonly at: string;
  readonly what: string;
  /** Null if the service does not say. */
  readonly by: string | null;
  readonly onClose: () => void;
}) {
  const { value, failure, reload } = useLoad(`entries ${at}`, (signal) => readEntries(at, signal));
  return (
    <Dialog kind="sheet" title="In the log" onClose={onClose}>
      <p>
        <Told text={what} />
      </p>
      <p class="quiet">
        {by !== null && (
          <>
            <Told text={by} />,{' '}
          </>
        )}
        <Moment at={at} as="full" />
      </p>
      <ErrorNote failure={failure} onRetry={reload} />
      {value === null && failure === null && <Skeleton lines={6} />}
      {value?.length === 0 && (
        <p class="note">The log has no entry of this moment. The first keys of a workspace have none.</p>
      )}
      {value?.map((each) => (
        <Shown key={`${each.log} ${each.receipt.index}`} of={each} by={by} />
      ))}
      <div class="row dialog-actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Shown({ of, by }: { readonly of: LoggedEntry; readonly by: string | null }) {
  const { log, receipt, verdict } = of;
  const number = (receipt.index + 1).toLocaleString('en');
  const given = verdictIn(of);
  const { value: signature, failure } = useLoad(`signature ${log} ${receipt.index}`, async (signal) =>
    given === null ? success(null) : signatureOf(given, signal),
  );
  return (
    <section class="card" aria-label={`Entry ${number}`}>
      <h3>Entry {number}</h3>
      {given !== null && (
        <p>
          <Told text={sentenceOf(given.details, by ?? 'Somebody')} />
        </p>
      )}
      {verdict !== null && (
        <ul class="checks">
          <Check
            check={{
              name: 'In the log',
              isGood: verdict.ok,
              says: verdict.ok ? 'verified in this browser' : verdict.message,
            }}
          />
          {verdict.ok && signature !== null && (
            <Check
              check={{
                name: 'Signed with a passkey',
                isGood: signature.problem === null,
                says: signature.problem ?? 'the signature is valid, verified in this browser',
              }}
            />
          )}
        </ul>
      )}
      <ErrorNote failure={failure} />
      <details>
        <summary>Entry (JSON)</summary>
        <p class="quiet small-text">
          of <code>{log}</code>, which had {receipt.treeSize.toLocaleString('en')} entries then
        </p>
        <pre class="said">{written(receipt.leaf)}</pre>
        <p>
          <CopyButton text={JSON.stringify(receipt)} what="the receipt" />
        </p>
      </details>
    </section>
  );
}

/** Such as "Rosa rejected this for `approval`." */
function sentenceOf({ verdict, controls }: { readonly [name: string]: unknown }, by: string): string {
  const named = (Array.isArray(controls) ? controls : []).map(
    (id) => `\`${String(id).replaceAll('`', '')}\``,
  );
  return `${by} ${verdict === 'approve' ? 'approved' : 'rejected'} this for ${named.join(' and ')}.`;
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
