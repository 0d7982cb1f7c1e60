/** One limit: its rule in words, and a bar for each group that has drawn in the window. */
import type { LimitGroup } from '@writecheck/api';
import type { LimitDocument } from '@writecheck/engine';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import type { KeyKind, ListedLimit } from '../../calls/limits.ts';
import { useAgents } from '../../components/agent/use-agents.ts';
import { ACTIONS, type Column, DataTable, type Sorting, sorted } from '../../components/data-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { Loaded } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { CallerText } from '../../components/text.tsx';
import { useCursors } from '../../components/use-cursors.ts';
import { LimitBar } from '../../picture/limit-lines.tsx';
import { amountWords, groupWords, rateWords, shareOf, withUnit } from '../../picture/limit-words.ts';
import { href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { useEvery, useLoad } from '../../use-load.ts';
import { drawsQuery } from './draws-query.ts';
import { GiveBack } from './give-back.tsx';

const LIVE_EVERY_MS = 10_000;

export function LimitCard({
  limit,
  document,
  keyKind,
}: {
  readonly limit: ListedLimit;
  /** Null if the policies changed in between. */
  readonly document: LimitDocument | null;
  readonly keyKind: KeyKind;
}) {
  const { id, version, max, per } = limit;
  const rule = document ?? { by: [], sum: '' };
  return (
    <section class="card" aria-labelledby={`limit-${id}`}>
      <div class="row title-row">
        <h2 id={`limit-${id}`}>
          <CallerText text={id} />{' '}
          {version !== null && (
            <span class="quiet small-text">
              version <CallerText text={version} />
            </span>
          )}{' '}
          {document?.writePolicy === 'observe' && <span class="chip observed">observe</span>}
        </h2>
        <a class="small-text" href={href('/policies', { document: id })}>
          Show the rule
        </a>
      </div>
      <p>
        At most {withUnit(max, rule.sum === undefined ? 'writes' : null)} {rateWords(per)}
        {eachOf(rule.by ?? [])}. {document !== null && beyondWords(document)}
      </p>
      {limit.groups === 0 ? (
        <p class="quiet">Nothing is drawn in this window.</p>
      ) : (
        <Groups limit={limit} rule={rule} document={document} keyKind={keyKind} />
      )}
    </section>
  );
}

/** Such as " for each customer and currency". */
function eachOf(by: readonly string[]): string {
  const names = by.map((path) => (path === 'key' ? 'agent' : path.split('.').at(-1)!));
  return names.length === 0 ? '' : ` for each ${names.join(' and ')}`;
}

function beyondWords({ beyond = 'pause', writePolicy }: LimitDocument): string {
  if (writePolicy === 'observe') return 'It only observes: beyond that it stops nothing.';
  if (typeof beyond !== 'string') return `Beyond that a write needs ${beyond.require.join(' and ')}.`;
  return beyond === 'block' ? 'Beyond that writes are blocked.' : 'Beyond that writes pause.';
}

function Groups({
  limit,
  rule,
  document,
  keyKind,
}: {
  readonly limit: ListedLimit;
  readonly rule: Pick<LimitDocument, 'by' | 'sum'>;
  readonly document: LimitDocument | null;
  readonly keyKind: KeyKind;
}) {
  const { cursor, number, previous, nextOf } = useCursors();
  const [sorting, setSorting] = useState<Sorting>({ by: 'drawn', isReversed: false });
  const [giving, setGiving] = useState<LimitGroup | null>(null);
  const load = useLoad(`groups ${cursor}`, (signal) =>
    call('GET /v1/limits/{id}', { in: { id: limit.id }, query: { keyKind, cursor }, signal }),
  );
  useEvery(LIVE_EVERY_MS, !load.isLoading, load.reload);
  const mayGive = useRight('correctLimit');
  const agents = useAgents();
  const wordsOf = ({ group }: LimitGroup) =>
    groupWords(
      rule,
      group.map((text, at) => (rule.by?.[at] === 'key' ? (agents.get(text) ?? text) : text)),
    );
  const columns: readonly (Column<LimitGroup> | null)[] = [
    {
      name: 'group',
      head: 'For',
      isName: true,
      sortBy: ({ group }) => group.join(' '),
      cell: (group) => <GroupName group={group} words={wordsOf(group)} />,
    },
    {
      name: 'drawn',
      head: 'Used',
      kind: 'drawn',
      sortBy: ({ drawn }) => shareOf(drawn, limit.max),
      cell: (group) => {
        const { unit } = wordsOf(group);
        return (
          <>
            <LimitBar drawn={group.drawn} max={limit.max} isBeyond={group.remaining === '0'} />
            <span class="small-text">
              {amountWords(group.drawn, unit)} of {withUnit(limit.max, unit)}
            </span>
          </>
        );
      },
    },
    {
      name: 'remaining',
      head: 'Left',
      kind: 'number',
      cell: (group) =>
        group.remaining === '0' ? (
          <span class="used-up">used up</span>
        ) : (
          <>
            {withUnit(group.remaining, wordsOf(group).unit)}
            <span class="phone-only"> left</span>
          </>
        ),
    },
    {
      name: 'resets',
      head: 'Available again',
      kind: 'small-text',
      cell: ({ resetsAt }) =>
        resetsAt === null ? (
          <span class="quiet">–</span>
        ) : (
          <>
            <span class="phone-only">Available again </span>
            <Moment at={resetsAt} as="full" />
          </>
        ),
    },
    {
      ...ACTIONS,
      cell: (group) => (
        <>
          <a
            class="button small"
            href={href('/decisions', drawsQuery(document, group.group, limit.per, Date.now()))}
            aria-label={`Show the writes of ${nameOf(group)}`}
          >
            Writes
          </a>
          {mayGive && (
            <button
              type="button"
              class="small"
              aria-label={`Return to ${nameOf(group)}`}
              onClick={() => setGiving(group)}
            >
              Return …
            </button>
          )}
        </>
      ),
    },
  ];
  return (
    <>
      <Loaded load={load} lines={3}>
        {({ groups }) => (
          <DataTable
            caption={`What is drawn of ${limit.id}`}
            kind="stacks limit-groups"
            columns={columns}
            rows={sorted(groups, columns, sorting)}
            idOf={({ group }) => JSON.stringify(group)}
            sorting={sorting}
            onSort={setSorting}
          />
        )}
      </Loaded>
      <Pager
        previous={previous}
        next={nextOf(load.value?.nextCursor)}
        label={`Groups of ${limit.id}`}
        words={['Previous', 'Next']}
      >
        {limit.groups.toLocaleString('en')} groups, page {number}
      </Pager>
      {giving !== null && (
        <GiveBack
          limit={limit}
          group={giving}
          words={wordsOf(giving)}
          keyKind={keyKind}
          onDone={load.reload}
          onClose={() => setGiving(null)}
        />
      )}
    </>
  );
}

function nameOf({ group }: LimitGroup): string {
  return group.length === 0 ? 'everyone' : group.join(', ');
}

function GroupName({
  group,
  words,
}: {
  readonly group: LimitGroup;
  readonly words: ReturnType<typeof groupWords>;
}) {
  const { unit, parts } = words;
  if (parts.length === 0)
    return group.group.length === 0 || unit === null || unit === 'writes' ? (
      <>the whole workspace</>
    ) : (
      <>everything in {unit}</>
    );
  return (
    <>
      {parts.map(({ name, text }, at) => (
        <span key={name}>
          {at > 0 && ', '}
          {name !== null && <span class="quiet group-word">{name} </span>}
          <CallerText text={text} />
        </span>
      ))}
    </>
  );
}
