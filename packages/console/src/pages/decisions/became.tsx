/** What became of an allow: whether it was taken, and what the caller reported. It is the caller's word. */

import type { DecisionDetail } from '@writecheck/api';
import { useAgents } from '../../components/agent/use-agents.ts';
import { Fact } from '../../components/fact.tsx';
import { Moment } from '../../components/moment.tsx';
import { CallerText } from '../../components/text.tsx';

const RESULTS = {
  done: { word: 'Done', tone: 'allow', says: 'The caller reported that the write happened.' },
  failed: { word: 'Failed', tone: 'block', says: 'The caller reported that nothing was written.' },
  unknown: {
    word: 'Unknown',
    tone: 'pause',
    says: 'The caller does not know if it was written. Look in the system, or run a reconciliation.',
  },
} as const;

export function Became({ detail }: { readonly detail: DecisionDetail }) {
  const agents = useAgents();
  const { redemption, outcome, response, keyId, keyName } = detail;
  if (response.decision !== 'allow') return null;
  const nameOf = (id: string) => agents.get(id) ?? (id === keyId ? (keyName ?? id) : id);
  const isOver = response.validUntil !== undefined && Date.parse(response.validUntil) <= Date.now();
  const result = outcome === undefined ? null : RESULTS[outcome.result];
  return (
    <section class="of-decision" aria-labelledby="became">
      <h3 id="became">What became of it</h3>
      {outcome !== undefined && result !== null ? (
        <>
          <p>
            <strong class={`became ${result.tone}`}>{result.word}</strong> {result.says}
          </p>
          <dl class="facts">
            <Fact name="When">
              <Moment at={outcome.at} as="full" />
            </Fact>
            <Fact name="Reported by">
              <CallerText text={nameOf(outcome.by.id)} />{' '}
              <span class="quiet small-text">
                <Moment at={outcome.recordedAt} as="ago" />
              </span>
            </Fact>
            {outcome.note !== null && (
              <Fact name="Note">
                <CallerText text={outcome.note} />
              </Fact>
            )}
            {outcome.ref !== null && (
              <Fact name="Reference">
                <CallerText text={outcome.ref} />
              </Fact>
            )}
          </dl>
        </>
      ) : (
        <p>
          <strong class={`became ${isOver && redemption !== undefined ? 'pause' : ''}`}>Not reported</strong>{' '}
          {notReportedText(isOver, redemption !== undefined)}
        </p>
      )}
      {redemption !== undefined && (
        <p class="quiet small-text">
          Taken by <CallerText text={nameOf(redemption.keyId)} />{' '}
          <Moment at={redemption.redeemedAt} as="full" />. An allow is taken once.
        </p>
      )}
    </section>
  );
}

function notReportedText(isOver: boolean, isTaken: boolean): string {
  if (!isOver)
    return isTaken
      ? 'The caller took the allow and has not reported a result yet.'
      : 'The agent has not confirmed this write yet.';
  return isTaken
    ? 'The caller took the allow and never reported a result. Look in the system, or run a reconciliation.'
    : 'The agent never confirmed this write.';
}
