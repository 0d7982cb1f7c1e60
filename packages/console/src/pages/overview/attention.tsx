/** What needs somebody's attention, what is most urgent first. */
import type { Key, Webhook } from '@writecheck/api';
import { expiresSoon, stateOf } from '../../calls/keys.ts';
import { listReviews } from '../../calls/reviews.ts';
import { risesIn, type Stops } from '../../components/agent/agent-stops.ts';
import { isUnlimited } from '../../components/key-limits.ts';
import { Moment } from '../../components/moment.tsx';
import { Section, Skeleton } from '../../components/page.tsx';
import type { Observer } from '../../components/policy/observed.ts';
import { CallerText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';

const REVIEW_SOON_MS = 2 * 3_600_000;
/** More are counted as this many and more. */
const COUNTED_MAX = 20;

export function Attention({
  keys,
  stops,
  observers,
  failing,
  isKnown,
}: {
  readonly keys: readonly Key[];
  readonly stops: Stops | null;
  readonly observers: readonly Observer[];
  /** Webhooks that do not accept events. */
  readonly failing: readonly Webhook[];
  /** False while something is loading or could not be loaded. */
  readonly isKnown: boolean;
}) {
  const nowMs = Date.now();
  const expiring = keys.filter((key) => expiresSoon(key, nowMs));
  const rising = stops === null ? [] : risesIn(stops, keys);
  const unlimited = keys.filter((key) => isUnlimited(key) && stateOf(key, nowMs) === 'usable');
  // The service lists those that expire first first.
  const open = useLoad('open reviews', (signal) =>
    listReviews({ state: 'open', limit: String(COUNTED_MAX) }, signal),
  );
  const ending = (open.value?.reviews ?? []).filter(
    ({ expiresAt }) => Date.parse(expiresAt) - nowMs < REVIEW_SOON_MS,
  );
  const found = [ending, failing, expiring, rising, unlimited, observers];
  const isQuiet = found.every(({ length }) => length === 0);
  return (
    <Section title="Needs attention">
      {isQuiet && !isKnown && <Skeleton lines={2} />}
      {isQuiet && isKnown && <p class="quiet">Nothing needs attention.</p>}
      <ul class="brief attention">
        {ending[0] !== undefined && (
          <li>
            <span class="tag">Review ends</span>
            <span>
              <a href={href('/reviews')}>
                {ending.length === 1
                  ? '1 open review expires'
                  : `${ending.length}${ending.length === COUNTED_MAX ? '+' : ''} open reviews expire`}
              </a>{' '}
              within 2 hours, {ending.length > 1 && 'the first '}at{' '}
              <Moment at={ending[0].expiresAt} as="brief" />
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
        {rising.length > 0 && (
          <li>
            <span class="tag">More pauses</span>
            <span>
              Paused in the last 24 hours:{' '}
              {rising.map(({ agent: { keyId, name, pause }, usual }, at) => (
                <span key={keyId}>
                  {at > 0 && ', '}
                  <a class="one-piece" href={href(`/agents/${keyId}`)}>
                    <CallerText text={name} />
                  </a>{' '}
                  {pause.toLocaleString('en')} <span class="quiet">({usualWords(usual)})</span>
                </span>
              ))}
            </span>
          </li>
        )}
        {unlimited.length > 0 && (
          <li>
            <span class="tag">No limits</span>
            <span>
              <a href={href('/keys')}>
                {unlimited.length === 1 ? '1 live key' : `${unlimited.length} live keys`}
              </a>{' '}
              may check writes to any system. Choose <em>Limit</em> there.
            </span>
          </li>
        )}
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
    </Section>
  );
}

function usualWords(usual: number | null): string {
  if (usual === null) return 'a new agent';
  return usual < 0.5 ? 'usually none' : `usually ${Math.round(usual).toLocaleString('en')} a day`;
}
