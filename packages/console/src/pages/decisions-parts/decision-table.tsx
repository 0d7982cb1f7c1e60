/** A table of decisions, with paging. */
import type { DecisionSummary } from '@writecheck/api';
import { BriefCallerText } from '../../components/caller-text.tsx';
import { cutAround } from '../../components/cut-around.ts';
import { DecisionBadge } from '../../components/decision-badge.tsx';
import { Moment } from '../../components/moment.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useGrowing } from '../../components/use-growing.ts';
import { useMoveByKeys } from '../../components/use-move-by-keys.ts';
import { href } from '../../state/route.ts';
import { keptDetail, useDetails } from './details.ts';
import { reasonLabel } from './reason-labels.ts';
import { amountOf } from './said-in-intent.ts';
import type { DecisionPages } from './use-decision-pages.ts';
import { useKeys } from './use-keys.ts';
import { WriteTitle } from './write-title.tsx';

/** Of a list of decisions or reviews. */
export const ROWS_AT_ONCE = 12;

export function DecisionTable({
  pages,
  caption,
  hasOutcome = true,
  empty,
}: {
  readonly pages: DecisionPages;
  readonly caption: string;
  /** False if all rows have the same outcome. */
  readonly hasOutcome?: boolean;
  readonly empty: preact.ComponentChildren;
}) {
  const { rows, isLoading } = pages;
  const keys = useKeys();
  useMoveByKeys();
  useDetails(rows ?? []);
  const drawn = useGrowing(
    (rows ?? []).map(({ decision_id }) => decision_id),
    ROWS_AT_ONCE,
  );
  if (rows === null) return isLoading ? <Skeleton lines={10} /> : null;
  if (rows.length === 0 && pages.number === 1) return <div class="empty">{empty}</div>;
  return (
    <>
      <table class="decisions" aria-busy={isLoading}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {hasOutcome && (
              <th scope="col" class="outcome">
                Outcome
              </th>
            )}
            <th scope="col">Write</th>
            <th scope="col" class="wide-only">
              Agent
            </th>
            <th scope="col" class="wide-only number">
              Amount
            </th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, drawn).map((row) => (
            <Row
              key={row.decision_id}
              row={row}
              keyName={keys.get(row.keyId)?.name ?? null}
              hasOutcome={hasOutcome}
            />
          ))}
        </tbody>
      </table>
      <Pager pages={pages} />
    </>
  );
}

function Row({
  row,
  keyName,
  hasOutcome,
}: {
  readonly row: DecisionSummary;
  readonly keyName: string | null;
  readonly hasOutcome: boolean;
}) {
  const intent = keptDetail(row.decision_id)?.intent;
  const amount = intent === undefined ? null : amountOf(intent);
  return (
    <tr>
      {hasOutcome && (
        <td class="outcome">
          <DecisionBadge decision={row.decision} />
          {row.evaluatedDecision !== row.decision && (
            <span class="would small-text">would {row.evaluatedDecision}</span>
          )}
        </td>
      )}
      <td>
        <a class="target" href={href(`/decisions/${row.decision_id}`)}>
          <WriteTitle target={row} isBrief />
        </a>
        <span class="reason small-text">
          {row.decision !== 'allow' && (
            <>
              <span title={row.reason_code}>{reasonLabel(row.reason_code)}</span>
              {' · '}
            </>
          )}
          <BriefCallerText text={row.system} />
          {intent !== undefined && <Value intent={intent} />}
        </span>
      </td>
      <td class="wide-only small-text">
        <BriefCallerText text={keyName ?? row.keyId} />
        {row.runId !== null && (
          <span class="line quiet">
            <BriefCallerText text={row.runId} />
          </span>
        )}
      </td>
      <td class="wide-only number">{amount !== null && <BriefCallerText text={amount} />}</td>
      <td class="when">
        <Moment at={row.timestamp} as="ago" />
      </td>
    </tr>
  );
}

const VALUE_MAX = 48;

/** What would be written; a value that differs is cut around the difference. */
function Value({ intent }: { readonly intent: { readonly [member: string]: unknown } }) {
  const { agentValue, authorityValue } = intent;
  if (typeof agentValue !== 'string' || agentValue === '') return null;
  const differs = typeof authorityValue === 'string' && authorityValue !== agentValue;
  const points = [...agentValue];
  const shown = differs
    ? cutAround(agentValue, authorityValue).left
    : points.length > VALUE_MAX
      ? `${points.slice(0, VALUE_MAX).join('')}…`
      : agentValue;
  return (
    <>
      {' · '}
      <code>
        <RevealedText text={shown} isWary={differs} />
      </code>
    </>
  );
}

function Pager({ pages }: { readonly pages: DecisionPages }) {
  const { next, previous, number, isLoading } = pages;
  if (next === null && previous === null) return null;
  return (
    <nav class="pager" aria-label="List pages">
      <button type="button" disabled={previous === null || isLoading} onClick={() => previous?.()}>
        Newer
      </button>
      <span class="quiet">Page {number}</span>
      <button type="button" disabled={next === null || isLoading} onClick={() => next?.()}>
        Older
      </button>
    </nav>
  );
}
