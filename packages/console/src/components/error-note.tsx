/** A failure as the service told it, with every fault it listed and what to do about it. */
import { useRef } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { useReturns } from '../state/connection.ts';
import { adviceFor } from './advice.ts';
import { RevealedText } from './revealed-text.tsx';

export function ErrorNote({
  failure,
  onRetry,
}: {
  readonly failure: Failure;
  /** For what is loaded, which is also loaded again when the service is back. */
  readonly onRetry?: () => void;
}) {
  const timesBack = useReturns();
  const first = useRef({ failure, timesBack });
  if (first.current.failure !== failure) first.current = { failure, timesBack };
  if (failure.code === 'unreachable' && onRetry === undefined && timesBack > first.current.timesBack) {
    return (
      <p class="note note-warn" role="status">
        <strong>The service answers again.</strong> Whether it still took what you sent is not known here:
        look first, then send it again.
      </p>
    );
  }
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
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The service speaks in lower case without a full stop; a page does not. */
function sentence(message: string): string {
  const first = message.slice(0, 1).toUpperCase();
  return `${first}${message.slice(1)}${/[.!?…]$/.test(message) ? '' : '.'}`;
}
