/** Allowed writes of the last 30 days of which nobody knows if they happened. */
import type { Answered } from '@writecheck/api/calls';
import { href } from '../../state/route.ts';

/** Nothing if all is known. */
export function Unsettled({ unknown, missing }: Answered<'GET /v1/decisions/counts'>['outcomes']) {
  if (unknown + missing === 0) return null;
  return (
    <p class="note note-warn">
      <strong>Did these happen?</strong>{' '}
      {unknown > 0 && (
        <a href={href('/decisions', { outcome: 'unknown', time: '30d' })}>
          {inWords(unknown)} with an unknown outcome
        </a>
      )}
      {unknown > 0 && missing > 0 && ' and '}
      {missing > 0 && `${inWords(missing)} taken and never reported`} in the last 30 days. Look in the target
      system, or compare with <code>writecheck reconcile</code>.
      {missing > 0 && (
        <>
          {' '}
          <a href={href('/decisions', { outcome: 'missing', time: '30d' })}>Every allow without a report</a>{' '}
          includes those that nobody took.
        </>
      )}
    </p>
  );
}

function inWords(count: number): string {
  return count === 1 ? '1 allowed write' : `${count.toLocaleString('en')} allowed writes`;
}
