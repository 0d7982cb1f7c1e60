/** What stops if a key is revoked: how much it was used lately, and what to do instead. */

import type { Key } from '@writecheck/api';
import { DAY_MS } from '@writecheck/contract';
import { nowThere } from '../../calls/decisions.ts';
import { counted } from '../../components/counted.ts';
import { scanDecisions } from '../../components/decision/scan-decisions.ts';
import { Moment } from '../../components/moment.tsx';
import { freezing } from '../../state/freezing.ts';
import { useRight } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';

export function RevokeHits({ of, onFreeze }: { readonly of: Key; readonly onFreeze: () => void }) {
  const { value } = useLoad(`sent by ${of.id}`, async (signal) => {
    const from = new Date((await nowThere(signal)) - DAY_MS).toISOString();
    return scanDecisions({ keyId: of.id, from }, signal);
  });
  const mayFreeze = useRight('createFreeze');
  return (
    <>
      <p role="status">
        {of.lastUsedAt === null ? (
          'It was never used.'
        ) : (
          <>
            {value === null ? 'It was last used ' : `${sentWords(value.rows.length, value.isComplete)} `}
            <Moment at={of.lastUsedAt} as="ago" />.
          </>
        )}
      </p>
      {mayFreeze && (
        <p>
          To stop its writes but keep the key,{' '}
          <button
            type="button"
            class="plain in-text"
            onClick={() => {
              onFreeze();
              freezing.set({ keyId: of.id });
            }}
          >
            freeze it
          </button>{' '}
          instead.
        </p>
      )}
    </>
  );
}

function sentWords(count: number, isComplete: boolean): string {
  if (count === 0) return 'It sent no check in the last 24 hours, and was last used';
  return `It sent ${isComplete ? '' : 'more than '}${counted(count, 'check')} in the last 24 hours, and was last used`;
}
