/** In a row: what would be written, and the money at stake. Lists of decisions carry neither, so both appear once they are read. */

import { cut } from '../cut.ts';
import { cutAround } from '../cut-around.ts';
import { BriefCallerText, RevealedText } from '../text.tsx';
import { amountOf, type SaidIntent } from './said-in-intent.ts';

/** `before` stands before what there is. */
export function Amount({ intent, before }: { readonly intent: SaidIntent; readonly before?: string }) {
  const amount = amountOf(intent);
  if (amount === null) return null;
  return (
    <>
      {before}
      <BriefCallerText text={amount} />
    </>
  );
}

const VALUE_MAX = 48;

/** What would be written; a value that differs from the source is cut around the difference. */
export function Value({
  intent: { agentValue, authorityValue },
  before,
  max = VALUE_MAX,
  hasSource = false,
}: {
  readonly intent: SaidIntent;
  readonly before?: string;
  readonly max?: number;
  /** Whether what the source has stands beside it, if that differs. */
  readonly hasSource?: boolean;
}) {
  if (typeof agentValue !== 'string' || agentValue === '') return null;
  const differs = typeof authorityValue === 'string' && authorityValue !== agentValue;
  const { left, right } = cutAround(agentValue, differs ? authorityValue : '');
  return (
    <>
      {before}
      {differs && hasSource && (
        <>
          <code>
            <RevealedText text={right} isWary />
          </code>{' '}
          <span aria-hidden="true">→</span>
          <span class="hidden">to</span>{' '}
        </>
      )}
      <code>
        {differs ? <RevealedText text={left} isWary /> : <BriefCallerText text={cut(agentValue, max)} />}
      </code>
    </>
  );
}
