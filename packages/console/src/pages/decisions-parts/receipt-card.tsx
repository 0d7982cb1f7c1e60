/** A decision's receipt, verified in this browser. */
import type { DecisionResponse } from '@writecheck/contract';
import { call, type Outcome } from '../../api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { DecisionGlyph } from '../../components/decision-badge.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { session } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import type { ReceiptCheck, ReceiptReading } from './check-receipt.ts';
import type { DecisionDetail } from './decisions-api.ts';

interface Loaded {
  readonly receipt: unknown;
  /** Null if this browser cannot verify; it has no cryptography without a secure origin. */
  readonly reading: ReceiptReading | null;
}

export function ReceiptCard({ detail }: { readonly detail: DecisionDetail }) {
  const { value, failure, reload } = useLoad(`receipt ${detail.decision_id}`, (signal) =>
    loadAndCheck(detail, signal),
  );
  return (
    <section class="card" aria-labelledby="receipt">
      <div class="row">
        <h2 id="receipt">Receipt</h2>
        {value?.reading && (
          <span class={`verdict ${value.reading.isProven ? 'allow' : 'block'}`} role="status">
            <DecisionGlyph decision={value.reading.isProven ? 'allow' : 'block'} />
            {value.reading.isProven ? 'verified in this browser' : 'does not verify'}
          </span>
        )}
      </div>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {value === null && failure === null && <p class="quiet">Verifying …</p>}
      {value !== null && (
        <>
          {value.reading === null ? (
            <p class="note note-warn">
              Browsers can verify receipts only over HTTPS or on this machine. Run{' '}
              <code>writecheck audit verify</code> instead.
            </p>
          ) : (
            <ul class="checks">
              {[
                ...value.reading.checks,
                ...(value.reading.isProven && detail.response.decision === 'allow'
                  ? [value.reading.mayExecute]
                  : []),
              ].map((check) => (
                <Check
                  key={check.name}
                  check={check}
                  isMild={check === value.reading?.mayExecute && !check.isGood}
                />
              ))}
              {value.reading.isProven && (
                <li class="idle">
                  <span class="check-mark" aria-hidden="true">
                    –
                  </span>
                  <span>
                    <strong>Not covered by this receipt:</strong>{' '}
                    <span class="quiet">
                      {value.reading.uncovered}. To check them, run <code>writecheck audit verify</code> on an
                      export.
                    </span>
                  </span>
                </li>
              )}
            </ul>
          )}
          <details>
            <summary>Receipt (JSON)</summary>
            <div class="command">
              <pre>{JSON.stringify(value.receipt, null, 2)}</pre>
              <CopyButton text={JSON.stringify(value.receipt)} what="the receipt" />
            </div>
          </details>
        </>
      )}
    </section>
  );
}

function Check({ check, isMild }: { readonly check: ReceiptCheck; readonly isMild: boolean }) {
  const tone = check.isGood ? 'allow' : isMild ? 'idle' : 'block';
  return (
    <li class={tone}>
      <span class="check-mark">
        {tone === 'idle' ? <span aria-hidden="true">–</span> : <DecisionGlyph decision={tone} />}
      </span>
      <span>
        <strong>{check.name}</strong>
        {check.isGood ? '' : ': no'} <span class="quiet">{check.says}</span>
      </span>
    </li>
  );
}

async function loadAndCheck(detail: DecisionDetail, signal: AbortSignal): Promise<Outcome<Loaded>> {
  const path = `/v1/decisions/${encodeURIComponent(detail.decision_id)}/receipt`;
  const [receipt, keys] = await Promise.all([
    call<unknown>('GET', path, { signal }),
    call<string>('GET', '/v1/audit/key', { signal, isText: true, key: null }),
  ]);
  if (receipt.kind === 'failure') return receipt;
  if (keys.kind === 'failure') return keys;
  let reading: ReceiptReading | null = null;
  if (window.isSecureContext) {
    const { checkReceipt } = await import('./check-receipt.ts');
    reading = await checkReceipt({
      receipt: receipt.value,
      keys: keys.value,
      workspace: session.get()?.workspace.id ?? '',
      keyId: detail.keyId,
      intent: detail.intent,
      response: detail.response as DecisionResponse,
      nowMs: Date.now(),
    });
  }
  return { ...receipt, value: { receipt: receipt.value, reading } };
}
