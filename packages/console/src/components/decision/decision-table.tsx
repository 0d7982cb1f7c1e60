/** A table of decisions, with paging. */

import type { DecisionDetail, DecisionSummary } from '@writecheck/api';
import { useContext } from 'preact/hooks';
import { href } from '../../state/route.ts';
import { DataTable, type Sorting } from '../data-table.tsx';
import { DecisionBadge } from '../decision-badge.tsx';
import { FoundText } from '../found-text.ts';
import { labelOf, pathOf } from '../member-labels.ts';
import { localHead, Moment } from '../moment.tsx';
import { Skeleton } from '../page.tsx';
import { Pager } from '../pager.tsx';
import { BriefCallerText } from '../text.tsx';
import { useMoveByKeys } from '../use-move-by-keys.ts';
import { isLookAlike, reasonInShort } from './beyond-limit.ts';
import { intentOf, keptDetail, useDetails } from './details.ts';
import { foundElsewhere } from './found-members.ts';
import { reasonLabel } from './reason-labels.ts';
import { Amount, Value } from './row-values.tsx';
import { amountOf } from './said-in-intent.ts';
import type { DecisionPages } from './use-decision-pages.ts';
import { titleOf, WriteTitle } from './write-title.tsx';

export function DecisionTable({
  pages,
  caption,
  hasOutcome = true,
  hasAgent = true,
  sorting = { by: 'when', isReversed: false },
  onSort,
  empty,
}: {
  readonly pages: Omit<DecisionPages, 'failure' | 'readAt' | 'reload'>;
  readonly caption: string;
  /** False if all rows have the same outcome. */
  readonly hasOutcome?: boolean;
  /** False if all rows are of one agent. */
  readonly hasAgent?: boolean;
  readonly sorting?: Sorting;
  /** Makes the heads of the amount and the time buttons. */
  readonly onSort?: (sorting: Sorting) => void;
  readonly empty: preact.ComponentChildren;
}) {
  const { rows, isLoading } = pages;
  useMoveByKeys();
  useDetails(rows ?? []);
  if (rows === null) return isLoading ? <Skeleton lines={10} /> : null;
  if (rows.length === 0 && pages.number === 1) return empty;
  return (
    <>
      <DataTable
        kind="decisions"
        caption={caption}
        rows={rows}
        idOf={({ decision_id }) => decision_id}
        isBusy={isLoading}
        {...(onSort && { sorting, onSort })}
        columns={[
          hasOutcome ? { head: 'Outcome', kind: 'outcome', cell: (row) => <Outcome row={row} /> } : null,
          { head: 'Write', cell: (row) => <Write row={row} /> },
          {
            name: 'agent',
            head: hasAgent ? 'Agent' : 'Run',
            kind: 'wide-only small-text',
            cell: ({ keyName, keyId, runId }) => (
              <>
                {hasAgent && (
                  <span class="line">
                    <BriefCallerText text={keyName ?? keyId} />
                  </span>
                )}
                {runId !== null && (
                  <span class="line quiet">
                    <BriefCallerText text={runId} />
                  </span>
                )}
              </>
            ),
          },
          {
            name: 'amount',
            head: 'Amount',
            kind: 'wide-only number',
            sortBy: () => 0,
            cell: (row) => <Amount intent={intentOf(row)} />,
          },
          {
            name: 'when',
            head: localHead('When'),
            kind: 'when',
            // Newest first is the only order of the service's list.
            ...(sorting.by === 'when' ? {} : { sortBy: () => 0 }),
            cell: (row) => <Moment at={row.timestamp} as="clock" />,
          },
        ]}
      />
      <Pager previous={pages.previous} next={pages.next} isBusy={isLoading}>
        Page {pages.number}
      </Pager>
    </>
  );
}

function Outcome({ row }: { readonly row: DecisionSummary }) {
  return (
    <>
      <DecisionBadge decision={row.decision} />
      {row.evaluatedDecision !== row.decision && (
        <span class="would small-text">would {row.evaluatedDecision}</span>
      )}
    </>
  );
}

function Write({ row }: { readonly row: DecisionSummary }) {
  const detail = keptDetail(row.decision_id);
  const wanted = useContext(FoundText);
  // What a search found and the row itself does not show.
  const found = detail === undefined ? [] : foundElsewhere(wanted, detail.intent, shownOf(row, detail));
  return (
    <>
      <a class="target" href={href(`/decisions/${row.decision_id}`)}>
        <WriteTitle target={row} isBrief />
      </a>
      <span class="reason small-text">
        {row.decision !== 'allow' && (
          <>
            <span
              title={row.reason_code}
              class={detail !== undefined && isLookAlike(detail) ? 'warn-tag' : ''}
            >
              {detail === undefined ? reasonLabel(row.reason_code) : reasonInShort(detail)}
            </span>
            {' · '}
          </>
        )}
        <BriefCallerText text={row.system} />
        <Value intent={intentOf(row)} before=" · " />
        <span class="no-column">
          <Amount intent={intentOf(row)} before=" · " />
        </span>
      </span>
      {found.map(({ path, text }) => (
        <span key={pathOf(path)} class="line small-text quiet">
          <BriefCallerText text={labelOf(path) ?? pathOf(path)} />: <BriefCallerText text={text} />
        </span>
      ))}
    </>
  );
}

/** All that the row says, to tell what of a search it does not. */
function shownOf(row: DecisionSummary, { intent }: DecisionDetail): string {
  const { system, keyName, keyId, runId } = row;
  const said = [titleOf({ ...row, metadata: null }), system, keyName ?? keyId, runId, intent.agentValue];
  return [...said, amountOf(intent), reasonLabel(row.reason_code)].filter((each) => each !== null).join('\n');
}
