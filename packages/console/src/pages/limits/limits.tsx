/** Limits: what each allows, how much is drawn in its window, and for whom. */
import { call } from '../../api.ts';
import type { KeyKind } from '../../calls/limits.ts';
import { readBundle } from '../../calls/policies.ts';
import { Empty, Loaded, PageHead } from '../../components/page.tsx';
import { limitIn } from '../../picture/limit-group.ts';
import { href, usePlace } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { together, useEvery, useLoad } from '../../use-load.ts';
import { LimitCard } from './limit-card.tsx';

const LIVE_EVERY_MS = 10_000;
const KINDS: readonly { readonly kind: KeyKind; readonly label: string }[] = [
  { kind: 'live', label: 'Live keys' },
  { kind: 'development', label: 'Development keys' },
];

export default function Limits() {
  const { query } = usePlace();
  const keyKind: KeyKind = query.get('keys') === 'development' ? 'development' : 'live';
  const bundle = useLoad('bundle', readBundle);
  const limits = useLoad(`limits ${keyKind}`, (signal) =>
    call('GET /v1/limits', { query: { keyKind }, signal }),
  );
  useEvery(LIVE_EVERY_MS, !limits.isLoading, limits.reload);
  const mayEdit = useRight('applyPolicies');
  return (
    <div class="page">
      <PageHead
        title="Limits"
        lead="How much agents may write in each window, and how much is used up. Every allowed write counts immediately."
      />
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
      <Loaded load={together(limits, bundle)} lines={6}>
        {([{ limits: listed }, { documents }]) =>
          listed.length === 0 ? (
            <Empty title="No limits">
              {mayEdit ? (
                <>
                  Add a <code>Limit</code> under <a href={href('/policies')}>Policies</a>, such as 5 refunds a
                  day for a customer.
                </>
              ) : (
                'The running policies set none.'
              )}
            </Empty>
          ) : (
            listed.map((limit) => (
              <LimitCard
                key={`${limit.id} ${keyKind}`}
                limit={limit}
                document={limitIn(documents, limit.id)}
                keyKind={keyKind}
              />
            ))
          )
        }
      </Loaded>
    </div>
  );
}
