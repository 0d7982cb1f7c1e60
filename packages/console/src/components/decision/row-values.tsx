/** In a row: what would be written, and the money at stake. Lists do not carry either, so both appear once they are read. */
import type { DecisionSummary } from '@writecheck/api';
import { cut } from '../cut.ts';
import { cutAround } from '../cut-around.ts';
import { BriefCallerText, RevealedText } from '../text.tsx';
import { keptDetail } from './details.ts';
import { amountOf } from './said-in-intent.ts';

interface Props {
  readonly row: DecisionSummary;
  /** Stands before what there is. */
  readonly before?: string;
}

export function Amount({ row, before }: Props) {
  const amount = amountOf(keptDetail(row.decision_id)?.intent ?? {});
  if (amount === null) return null;
  return (
    <>
      {before}
      <BriefCallerText text={amount} />
    </>
  );
}

const VALUE_MAX = 48;

/** What would be written; a value that differs is cut around the difference. */
export function Value({ row, before }: Props) {
  const { agentValue, authorityValue } = keptDetail(row.decision_id)?.intent ?? {};
  if (typeof agentValue !== 'string' || agentValue === '') return null;
  const differs = typeof authorityValue === 'string' && authorityValue !== agentValue;
  const shown = differs ? cutAround(agentValue, authorityValue).left : cut(agentValue, VALUE_MAX);
  return (
    <>
      {before}
      <code>{differs ? <RevealedText text={shown} isWary /> : <BriefCallerText text={shown} />}</code>
    </>
  );
}
