/** What needs somebody's attention: rising pauses, failing webhooks, expiring keys, and policies in observe mode. */
import type { Key, Webhook } from '@writecheck/api';
import { isRising, type Stops } from '../../components/agent/agent-stops.ts';
import { Moment } from '../../components/moment.tsx';
import { Section, Skeleton } from '../../components/page.tsx';
import type { Observer } from '../../components/policy/observed.ts';
import { CallerText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';

const SOON_MS = 14 * 86_400_000;

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
  const expiring = keys.filter(
    ({ revokedAt, expiresAt }) =>
      revokedAt === null &&
      expiresAt !== null &&
      Date.parse(expiresAt) > nowMs &&
      Date.parse(expiresAt) - nowMs < SOON_MS,
  );
  const rising = stops?.isComplete ? stops.agents.filter(isRising) : [];
  const isQuiet = expiring.length + rising.length + observers.length + failing.length === 0;
  return (
    <Section title="Needs attention">
      {isQuiet && !isKnown && <Skeleton lines={2} />}
      {isQuiet && isKnown && <p class="quiet">Nothing needs attention.</p>}
      <ul class="brief attention">
        {rising.length > 0 && (
          <li>
            <span class="tag">Pauses rise</span>
            <span>
              Paused in the last 24 hours:{' '}
              {rising.map(({ keyId, name, pause, pausedBefore }, at) => (
                <span key={keyId}>
                  {at > 0 && ', '}
                  <a class="one-piece" href={href(`/agents/${keyId}`)}>
                    <CallerText text={name} />
                  </a>{' '}
                  {pause.toLocaleString('en')}{' '}
                  <span class="quiet">({pausedBefore.toLocaleString('en')} the day before)</span>
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
    </Section>
  );
}
