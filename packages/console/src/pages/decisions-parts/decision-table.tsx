/** A table of decisions, with paging. */
import { BriefCallerText } from '../../components/caller-text.tsx';
import { DecisionBadge } from '../../components/decision-badge.tsx';
import { Moment } from '../../components/moment.tsx';
import { href } from '../../state/route.ts';
import type { DecisionSummary } from './decisions-api.ts';
import type { DecisionPages } from './use-decision-pages.ts';

export function DecisionTable({
  pages,
  caption,
  whenIs = 'moment',
  empty,
}: {
  readonly pages: DecisionPages;
  readonly caption: string;
  /** Whether the last column shows the time or how long the write has waited. */
  readonly whenIs?: 'moment' | 'waiting';
  readonly empty: preact.ComponentChildren;
}) {
  const { rows, isLoading } = pages;
  if (rows === null) return isLoading ? <p class="quiet">Loading …</p> : null;
  if (rows.length === 0 && pages.number === 1) return <div class="empty">{empty}</div>;
  return (
    <>
      <table class="decisions" aria-busy={isLoading}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Decision</th>
            <th scope="col">Write</th>
            <th scope="col" class="wide-only">
              Workflow and run
            </th>
            <th scope="col">{whenIs === 'moment' ? 'When' : 'Waiting'}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.decision_id} row={row} whenIs={whenIs} />
          ))}
        </tbody>
      </table>
      <Pager pages={pages} whenIs={whenIs} />
    </>
  );
}

function Row({ row, whenIs }: { readonly row: DecisionSummary; readonly whenIs: 'moment' | 'waiting' }) {
  return (
    <tr>
      <td>
        <DecisionBadge decision={row.decision} />
        {row.evaluatedDecision !== row.decision && (
          <span class="would small-text">would {row.evaluatedDecision}</span>
        )}
      </td>
      <td>
        <a class="target" href={href(`/decisions/${row.decision_id}`)}>
          <BriefCallerText text={targetOf(row)} />
        </a>
        <span class="reason small-text">
          <BriefCallerText text={row.system} /> · <ReasonCode code={row.reason_code} />
        </span>
      </td>
      <td class="wide-only small-text">
        {[row.workflowId, row.runId].map(
          (id, at) =>
            id !== null && (
              <span key={at} class={at === 0 ? 'line' : 'line quiet'}>
                <BriefCallerText text={id} />
              </span>
            ),
        )}
      </td>
      <td class="when">
        <Moment at={row.timestamp} as={whenIs === 'moment' ? 'moment' : 'age'} />
      </td>
    </tr>
  );
}

/** Lets a long code wrap at its underscores. */
function ReasonCode({ code }: { readonly code: string }) {
  return (
    <code>{code.split('_').flatMap((word, at) => (at === 0 ? [word] : ['_', <wbr key={at} />, word]))}</code>
  );
}

/** The object and the field or operation, in short. */
export function targetOf(row: DecisionSummary): string {
  const object = [row.objectType, row.objectRef].filter((part) => part !== null).join(' ');
  const what = row.field ?? row.operation;
  if (object === '') return what ?? row.system;
  return what === null ? object : `${object} · ${what}`;
}

function Pager({ pages, whenIs }: { readonly pages: DecisionPages; readonly whenIs: 'moment' | 'waiting' }) {
  const { next, previous, number, isLoading } = pages;
  if (next === null && previous === null) return null;
  const [back, forth] = whenIs === 'moment' ? ['Newer', 'Older'] : ['Older', 'Newer'];
  return (
    <nav class="pager" aria-label="List pages">
      <button type="button" disabled={previous === null || isLoading} onClick={() => previous?.()}>
        {back}
      </button>
      <span class="quiet">Page {number}</span>
      <button type="button" disabled={next === null || isLoading} onClick={() => next?.()}>
        {forth}
      </button>
    </nav>
  );
}
