/** What needs somebody's attention: rising pauses, failing webhooks, expiring keys, and policies in observe mode. */
import type { Key, Webhook } from '@writecheck/api';
import {
  type AgentRates,
  type DayRate,
  inPercent,
  isRising,
  shareOf,
} from '../../components/agent/agent-rates.ts';
import { CallerText } from '../../components/caller-text.tsx';
import { Moment } from '../../components/moment.tsx';
import type { Observer } from '../../components/policy/observed.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { href } from '../../state/route.ts';

const SOON_MS = 14 * 86_400_000;

export function Attention({
  keys,
  rates,
  observers,
  failing,
  isKnown,
}: {
  readonly keys: readonly Key[];
  readonly rates: AgentRates | null;
  readonly observers: readonly Observer[];
  /** Webhooks that do not accept events. */
  readonly failing: readonly Webhook[];
  /** False while something is loading or could not be loaded. */
  readonly isKnown: boolean;
}) {
  const nowMs = Date.now();
  const expiring = keys.filter(
    ({ revokedAt, expiresAt }) =>
      revokedAt === null &&
      expiresAt !== null &&
      Date.parse(expiresAt) > nowMs &&
      Date.parse(expiresAt) - nowMs < SOON_MS,
  );
  const rising = [...(rates?.byKey ?? [])].filter(([, days]) => isRising(days));
  const isQuiet = expiring.length + rising.length + observers.length + failing.length === 0;
  return (
    <section class="card" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {isQuiet && !isKnown && <Skeleton lines={2} />}
      {isQuiet && isKnown && <p class="quiet">Nothing needs attention.</p>}
      <ul class="attention">
        {rising.length > 0 && (
          <li>
            <span class="tag">Pauses rise</span>
            <span>
              {rising.length === 1 ? '1 agent pauses' : `${rising.length} agents pause`} more than yesterday:{' '}
              {rising.map(([keyId, days], at) => (
                <span key={keyId}>
                  {at > 0 && ', '}
                  <a href={href(`/agents/${keyId}`)}>
                    <CallerText text={keys.find(({ id }) => id === keyId)?.name ?? keyId} />
                  </a>{' '}
                  {pausedOf(days.at(-1))} today <span class="quiet">({pausedOf(days.at(-2))} yesterday)</span>
                </span>
              ))}
            </span>
          </li>
        )}
        {failing.map(({ id, url, state }) => (
          <li key={id}>
            <span class="tag">Webhook fails</span>
            <span>
              <a href={href('/webhooks')}>
                <CallerText text={url} />
              </a>{' '}
              {state === 'disabled' ? 'is disabled' : 'does not accept events'}
            </span>
          </li>
        ))}
        {expiring.map((key) => (
          <li key={key.id}>
            <span class="tag">Key expires</span>
            <span>
              <a href={href('/keys')}>
                <CallerText text={key.name} />
              </a>{' '}
              on <Moment at={key.expiresAt ?? ''} as="full" />
            </span>
          </li>
        ))}
        {observers.map((observer) => (
          <li key={observer.ref}>
            <span class="tag observed">Observing</span>
            <span>
              <a href={href('/observe')}>
                {observer.kind === 'Defaults' ? 'Workspace default' : <CallerText text={observer.id} />}
              </a>{' '}
              stops nothing yet
              {observer.until !== null && (
                <>
                  ; enforces from <Moment at={observer.until} as="full" />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function pausedOf(day: DayRate | undefined): string {
  return inPercent(shareOf(day?.pause ?? 0, day?.checks ?? 0));
}
