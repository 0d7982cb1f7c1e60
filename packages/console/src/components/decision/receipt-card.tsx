/** A decision's receipt, verified in this browser, and the files that prove it elsewhere. */

import type { DecisionDetail, Review } from '@writecheck/api';
import { decodeBase64, parseLeaf } from '@writecheck/ledger';
import { useState } from 'preact/hooks';
import { call, part, type Reply, success } from '../../api.ts';
import { listReviews } from '../../calls/reviews.ts';
import { joined, mapped, type ValueOf } from '../../replies.ts';
import { session, useRight } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { useLoad } from '../../use-load.ts';
import { CopyButton } from '../copy-button.tsx';
import { DecisionGlyph } from '../decision-badge.tsx';
import { download } from '../download.ts';
import { ErrorNote } from '../error-note.tsx';
import { Skeleton } from '../page.tsx';
import type { ReceiptCheck, ReceiptReading, Today } from './check-receipt.ts';
import { pinnedKey } from './pinned-key.ts';
import { VerifierKeyLine } from './verifier-key.tsx';

type Loaded = ValueOf<typeof loadAndCheck>;

export function ReceiptCard({
  detail,
  children,
}: {
  readonly detail: DecisionDetail;
  /** What else is for machines. */
  readonly children?: preact.ComponentChildren;
}) {
  const pinned = useStore(pinnedKey);
  const mayReadChanges = useRight('exportLog');
  const { value, failure, reload } = useLoad(`receipt ${detail.decision_id} ${pinned}`, (signal) =>
    loadAndCheck(detail, pinned, signal),
  );
  const [isFailed, setIsFailed] = useState(false);
  const save = () => {
    setIsFailed(false);
    if (value !== null) savePack(detail, value, mayReadChanges).catch(() => setIsFailed(true));
  };
  return (
    <section class="card" aria-labelledby="receipt">
      <div class="row">
        <h2 id="receipt">Proof</h2>
        {value?.reading && (
          <span class={`verdict ${value.reading.isProven ? 'allow' : 'block'}`} role="status">
            <DecisionGlyph decision={value.reading.isProven ? 'allow' : 'block'} />
            {value.reading.isProven ? 'verified in this browser' : 'does not verify'}
          </span>
        )}
      </div>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {value === null && failure === null && <Skeleton lines={5} />}
      {value !== null && (
        <>
          {value.reading === null ? (
            <p class="note note-warn">
              Browsers can verify receipts only over HTTPS or on this machine. Run{' '}
              <code>writecheck audit verify</code> instead.
            </p>
          ) : (
            <Checks reading={value.reading} isAllow={detail.response.decision === 'allow'} />
          )}
          <VerifierKeyLine published={value.publishedKeys} />
          <div class="row no-print">
            <button type="button" onClick={save}>
              Download evidence pack
            </button>
            <button type="button" onClick={() => window.print()}>
              Print
            </button>
          </div>
          {isFailed && (
            <p class="note note-bad" role="alert">
              The pack could not be put together. Check your connection, then try again.
            </p>
          )}
          <details class="no-print">
            <summary>Receipt (JSON)</summary>
            <div class="command">
              <pre>{JSON.stringify(value.receipt, null, 2)}</pre>
              <CopyButton text={JSON.stringify(value.receipt)} what="the receipt" />
            </div>
          </details>
        </>
      )}
      {children}
    </section>
  );
}

function Checks({ reading, isAllow }: { readonly reading: ReceiptReading; readonly isAllow: boolean }) {
  const checks = [...reading.checks, ...(reading.isProven && isAllow ? [reading.mayExecute] : [])];
  return (
    <ul class="checks">
      {checks.map((check) => (
        <Check key={check.name} check={check} isMild={check === reading.mayExecute && !check.isGood} />
      ))}
      {reading.isProven && (
        <li class="idle">
          <span class="check-mark" aria-hidden="true">
            –
          </span>
          <span>
            <strong>Not covered by this receipt:</strong>{' '}
            <span class="quiet">
              {reading.uncovered}. To check them, run <code>writecheck audit verify</code> on an export.
            </span>
          </span>
        </li>
      )}
    </ul>
  );
}

export function Check({
  check,
  isMild = false,
}: {
  readonly check: ReceiptCheck;
  readonly isMild?: boolean;
}) {
  const tone = check.isGood ? 'allow' : isMild ? 'idle' : 'block';
  return (
    <li class={tone}>
      <span class="check-mark">
        {tone === 'idle' ? <span aria-hidden="true">–</span> : <DecisionGlyph decision={tone} />}
      </span>
      <span>
        <strong>{check.name}</strong>
        {check.isGood ? '' : ': no,'} <span class="quiet">{check.says}</span>
      </span>
    </li>
  );
}

/**
 * The decision with its receipt, and the verdicts on its write. For owners and auditors also the log's entry of each
 * verdict, with its signature, those that say whose passkey signed it, and what changed the key, the policy or them.
 */
async function savePack(
  detail: DecisionDetail,
  { receipt, publishedKeys, today }: Loaded,
  mayReadChanges: boolean,
): Promise<void> {
  const { intentDigest } = detail.response;
  const { signal } = new AbortController();
  const [{ adminEvents, asChange }, { needed, provenVerdicts }] = await Promise.all([
    import('../admin-events.ts'),
    import('../logged-entries.ts'),
  ]);
  const reviewed = needed(await listReviews({ intentDigest }, signal));
  const verdicts = reviewed.reviews.flatMap((review) => review.verdicts);
  const involved = new Set([detail.keyId, detail.response.profileProvenance.policyRef]);
  for (const { id } of reviewed.reviews) involved.add(id);
  for (const { by } of verdicts) if (by?.kind === 'person') involved.add(by.id);
  // Only owners and auditors may read them.
  const changed = mayReadChanges ? needed(await adminEvents(signal)) : null;
  const pack = {
    version: 'writecheck.console-pack.v1',
    workspace: session.get()?.workspace ?? null,
    decision: detail,
    reviews: reviewed.reviews.map(verdictsOf),
    verdicts: mayReadChanges ? await provenVerdicts(reviewed.reviews, signal) : null,
    changes: changed?.filter(({ subject }) => involved.has(subject)).map(asChange) ?? null,
    receipt,
    newestCheckpoint: today.checkpoint,
    consistencyProof: today.proof,
    verifierKeys: publishedKeys.trim().split('\n'),
  };
  download(`${detail.decision_id}.json`, `${JSON.stringify(pack, null, 2)}\n`, 'application/json');
}

/** Without the write, which the decision has. */
function verdictsOf({ intent: _, comments: __, earlier: ___, ...review }: Review): object {
  return review;
}

export async function loadAndCheck(detail: DecisionDetail, pinned: string | null, signal: AbortSignal) {
  const read = await joined([
    call('GET /v1/decisions/{id}/receipt', { in: { id: detail.decision_id }, signal }),
    call('GET /v1/audit/key', { signal, isText: true, key: null }),
  ]);
  if (read.kind === 'failure') return read;
  const [receipt, publishedKeys] = read.value;
  const found = await readToday(receipt, signal);
  if (found.kind === 'failure' && !REFUSALS.has(found.code)) return found;
  // A log that does not know the receipt's checkpoint is a finding, not an outage.
  const today = found.kind === 'success' ? found.value : { checkpoint: '', proof: [] };
  // This browser has no cryptography without a secure origin.
  let reading: ReceiptReading | null = null;
  if (window.isSecureContext) {
    const checking = await part(import('./check-receipt.ts'));
    if (checking.kind === 'failure') return checking;
    reading = await checking.value.checkReceipt({
      receipt,
      keys: pinned ?? publishedKeys,
      workspace: session.get()?.workspace.id ?? '',
      keyId: detail.keyId,
      intent: detail.intent,
      response: detail.response,
      nowMs: Date.now(),
      today,
    });
  }
  return success({ receipt, publishedKeys, today, reading });
}

const REFUSALS: ReadonlySet<string> = new Set(['not_found', 'invalid_request']);

/** The newest checkpoint of the receipt's log, and the proof that leads to it. */
async function readToday(
  { leaf, treeSize }: { readonly leaf: string; readonly treeSize: number },
  signal: AbortSignal,
): Promise<Reply<Today>> {
  const bytes = decodeBase64(leaf);
  const log = (bytes === null ? null : parseLeaf(bytes))?.log ?? '';
  const open = { signal, key: null } as const;
  const newest = await call('GET /v1/audit/checkpoint', { ...open, query: { log }, isText: true });
  if (newest.kind === 'failure') return newest;
  const size = Number(newest.value.split('\n')[1]);
  const proof = await call('GET /v1/audit/consistency', {
    ...open,
    query: { log, from: treeSize, to: size },
  });
  return mapped(proof, (found) => ({ checkpoint: newest.value, proof: found.proof }));
}
