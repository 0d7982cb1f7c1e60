/** A failure as the service told it, with every fault it listed and what to do about it. */
import type { Failure } from '../api.ts';
import { adviceFor } from './advice.ts';

export function ErrorNote({
  failure,
  onRetry,
}: {
  readonly failure: Failure;
  readonly onRetry?: () => void;
}) {
  const advice = adviceFor(failure);
  return (
    <div class="note note-bad" role="alert">
      <p>
        <strong>{sentence(failure.message)}</strong>
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
              {message}
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
