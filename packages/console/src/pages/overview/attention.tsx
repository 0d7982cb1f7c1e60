/** What needs somebody's attention, what is most urgent first. */

import type { Key, Webhook } from '@writecheck/api';
import { HOUR_MS } from '@writecheck/contract';
import type { ComponentChildren } from 'preact';
import { expiresSoon, stateOf } from '../../calls/keys.ts';
import { listReviews } from '../../calls/reviews.ts';
import { risesIn, type Stops } from '../../components/agent/agent-stops.ts';
import { counted } from '../../components/counted.ts';
import { isUnlimited } from '../../components/key-limits.ts';
import { Moment } from '../../components/moment.tsx';
import { Section, Skeleton } from '../../components/page.tsx';
import type { Observer } from '../../components/policy/observed.ts';
import { CallerText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';

const REVIEW_SOON_MS = 2 * HOUR_MS;
/** More are counted as this many and more. */
const COUNTED_MAX = 20;

export function Attention({
  keys = [],
  stops = null,
  observers,
  failing = [],
  isKnown,
}: {
  readonly keys?: readonly Key[];
  readonly stops?: Stops | null;
  readonly observers: readonly Observer[];
  /** Webhooks that do not accept events. */
  readonly failing?: readonly Webhook[];
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
          <Item tag="Review ends">
            <a href={href('/reviews')}>
              {ending.length === 1
                ? '1 open review expires'
                : `${ending.length}${ending.length === COUNTED_MAX ? '+' : ''} open reviews expire`}
            </a>{' '}
            within 2 hours, {ending.length > 1 && 'the first '}at{' '}
            <Moment at={ending[0].expiresAt} as="brief" />
          </Item>
        )}
        {failing.map(({ id, url, state }) => (
          <Item key={id} tag="Webhook fails">
            <a href={href('/webhooks')}>
              <CallerText text={url} />
            </a>{' '}
            {state === 'disabled' ? 'is disabled' : 'does not accept events'}
          </Item>
        ))}
        {expiring.map((key) => (
          <Item key={key.id} tag="Key expires">
            <a href={href('/keys')}>
              <CallerText text={key.name} />
            </a>{' '}
            on <Moment at={key.expiresAt ?? ''} as="full" />
          </Item>
        ))}
        {rising.length > 0 && (
          <Item tag="More pauses">
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
          </Item>
        )}
        {unlimited.length > 0 && (
          <Item tag="No limits">
            <a href={href('/keys')}>{counted(unlimited.length, 'live key')}</a> may check writes to any
            system. Choose <em>Limit</em> there.
          </Item>
        )}
        {observers.map((observer) => (
          <Item key={observer.ref} tag="Observing" isObserved>
            <a href={href('/observe')}>
              {observer.kind === 'Defaults' ? 'Workspace default' : <CallerText text={observer.id} />}
            </a>{' '}
            stops nothing yet
            {observer.until !== null && (
              <>
                ; enforces from <Moment at={observer.until} as="full" />
              </>
            )}
          </Item>
        ))}
      </ul>
    </Section>
  );
}

function Item({
  tag,
  isObserved = false,
  children,
}: {
  readonly tag: string;
  readonly isObserved?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <li>
      <span class={isObserved ? 'tag observed' : 'tag'}>{tag}</span>
      <span>{children}</span>
    </li>
  );
}

function usualWords(usual: number | null): string {
  if (usual === null) return 'a new agent';
  return usual < 0.5 ? 'usually none' : `usually ${Math.round(usual).toLocaleString('en')} a day`;
}
