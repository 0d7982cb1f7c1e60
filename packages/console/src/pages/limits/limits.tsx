/** Limits: what each allows, how much is drawn in its window, and for whom. */

import { type KeyKind, listLimits } from '../../calls/limits.ts';
import { readBundle } from '../../calls/policies.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { limitIn } from '../../picture/limit-group.ts';
import { useRight } from '../../state/rights.ts';
import { href, usePlace } from '../../state/route.ts';
import { useEvery } from '../../use-every.ts';
import { useLoad } from '../../use-load.ts';
import { LimitCard } from './limit-card.tsx';
import '../../style/pieces.css';
import '../../style/decisions.css';
import '../../style/reviews.css';
import '../../style/workspace.css';
import './limits-page.css';

const LIVE_EVERY_MS = 10_000;
const KINDS: readonly { readonly kind: KeyKind; readonly label: string }[] = [
  { kind: 'live', label: 'Live keys' },
  { kind: 'development', label: 'Development keys' },
];

export default function Limits() {
  const { query } = usePlace();
  const keyKind: KeyKind = query.get('keys') === 'development' ? 'development' : 'live';
  const bundle = useLoad('bundle', readBundle);
  const limits = useLoad(`limits ${keyKind}`, (signal) => listLimits(keyKind, signal));
  useEvery(LIVE_EVERY_MS, !limits.isLoading, limits.reload);
  const mayEdit = useRight('applyPolicies');
  const failure = limits.failure ?? bundle.failure;
  return (
    <div class="page">
      <div class="lead">
        <h1>Limits</h1>
        <p class="quiet">
          How much agents may write in each window, and how much is used up. Every allowed write counts
          immediately.
        </p>
      </div>
      <nav class="tabs" aria-label="Counters">
        <ul>
          {KINDS.map(({ kind, label }) => (
            <li key={kind}>
              <a
                href={href('/limits', { keys: kind === 'live' ? '' : kind })}
                aria-current={kind === keyKind ? 'page' : undefined}
              >
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {failure !== null && (
        <ErrorNote
          failure={failure}
          onRetry={() => {
            limits.reload();
            bundle.reload();
          }}
        />
      )}
      {limits.value === null || bundle.value === null ? (
        failure === null && <Skeleton lines={6} />
      ) : limits.value.limits.length === 0 ? (
        <Empty title="No limits">
          {mayEdit ? (
            <>
              Add a <code>Limit</code> under <a href={href('/policies')}>Policies</a>, such as 5 refunds a day
              for a customer.
            </>
          ) : (
            'The running policies set none.'
          )}
        </Empty>
      ) : (
        limits.value.limits.map((limit) => (
          <LimitCard
            key={`${limit.id} ${keyKind}`}
            limit={limit}
            document={limitIn(bundle.value?.documents ?? [], limit.id)}
            keyKind={keyKind}
          />
        ))
      )}
    </div>
  );
}
