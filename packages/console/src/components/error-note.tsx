/** A failure as the service reported it: message, details, and what to do. */
import { useRef } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { isAway, returns } from '../state/connection.ts';
import { useStore } from '../state/store.ts';
import { adviceFor } from './advice.ts';
import { Moment } from './moment.tsx';
import { RevealedText } from './text.tsx';

export function ErrorNote({
  failure,
  onRetry,
  readAt = null,
}: {
  /** Null if there is none; nothing is shown then. */
  readonly failure: Failure | null;
  /** For reads, which are also retried when the service is back. */
  readonly onRetry?: () => void;
  /** When what is still on the page was read. */
  readonly readAt?: string | null;
}) {
  const timesBack = useStore(returns);
  const away = useStore(isAway);
  const first = useRef({ failure, timesBack });
  if (first.current.failure !== failure) first.current = { failure, timesBack };
  if (failure === null) return null;
  if (
    failure.code === 'unreachable' &&
    onRetry === undefined &&
    timesBack > first.current.timesBack &&
    !away
  ) {
    return (
      <p class="note note-warn" role="status">
        <strong>Back online.</strong> Your last change may or may not have been saved. Check before you send
        it again.
      </p>
    );
  }
  // The banner says it in full, and the page loads again on its own.
  if (failure.code === 'unreachable' && onRetry !== undefined)
    return (
      <p class="quiet small-text">
        {readAt === null ? (
          <>
            <RevealedText text={sentence(failure.message)} /> This part loads once it responds.
          </>
        ) : (
          <>
            Shown as of <Moment at={readAt} />
          </>
        )}
      </p>
    );
  const advice = adviceFor(failure, onRetry !== undefined);
  return (
    <div class="note note-bad" role="alert">
      <p>
        <strong>
          <RevealedText text={sentence(failure.message)} />
        </strong>
      </p>
      {failure.details.length > 0 && (
        <ul class="faults">
          {failure.details.map(({ pointer, message, line }) => (
            <li key={`${pointer} ${message}`}>
              {line === undefined ? (
                <code>{pointer === '' ? 'body' : pointer}</code>
              ) : (
                <code>line {line}</code>
              )}{' '}
              <RevealedText text={message} />
            </li>
          ))}
        </ul>
      )}
      {advice !== null && <p>{advice}</p>}
      <p class="quiet small-text">
        <code>{failure.code}</code>
        {failure.requestId !== null && (
          <>
            {' '}
            · request <code>{failure.requestId}</code>
          </>
        )}
      </p>
      {onRetry !== undefined && failure.code !== 'insufficient_scope' && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Messages from the service start in lower case and have no full stop. */
function sentence(message: string): string {
  const first = message.slice(0, 1).toUpperCase();
  return `${first}${message.slice(1)}${/[.!?…]$/.test(message) ? '' : '.'}`;
}
