/** Who did what: changes of keys, policies, freezes, people and reviews, by day, with a search. */
import { DAY_MS, revealedPlain } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import {
  type AdminEvent,
  adminEvents,
  asChange,
  CHANGE_COLUMNS,
  idOf,
  VERDICTS_MAX,
} from '../../components/admin-events.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { csvOf, download } from '../../components/download.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Choice, TextField } from '../../components/field.tsx';
import { dayOf, localHead, Moment } from '../../components/moment.tsx';
import { Section, Skeleton } from '../../components/page.tsx';
import { countsInWords } from '../../components/policy/counts-in-words.ts';
import { useRevisionChanges } from '../../components/policy/use-revision-changes.ts';
import { RevealedText, Told } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { isWithin } from './chosen-days.ts';
import { EntrySheet } from './entry-sheet.tsx';

const SHOWN_FIRST = 25;
/** Not a page: revisions that loosen, or may. */
const LOOSER = 'looser';
const SIGNED = 'signed';
/** By the page that an event leads to. */
const ABOUT = [
  ['', 'Everything'],
  ['/keys', 'Keys'],
  ['/policies', 'Policies'],
  [LOOSER, 'Policies that loosen'],
  ['/people', 'People'],
  ['/freezes', 'Freezes'],
  ['/reviews', 'Reviews'],
  [SIGNED, 'With a passkey'],
] as const;

const CHOSEN = -1;
/** In days; 0 for all. */
const PERIODS = [
  [0, 'Any time'],
  [1, 'Last 24 hours'],
  [7, 'Last 7 days'],
  [30, 'Last 30 days'],
  [CHOSEN, 'Chosen days'],
] as const;

/** `days` is one of the periods; `from` and `to` are the chosen days. */
const EVERYTHING = { text: '', about: '', days: 0, from: '', to: '', who: '' };
type Wanted = typeof EVERYTHING;

export function WhoDidWhat() {
  const [verdictsMax, setVerdictsMax] = useState(VERDICTS_MAX);
  const { value, failure, reload } = useLoad(`admin events ${verdictsMax}`, (signal) =>
    adminEvents(signal, verdictsMax),
  );
  const [areAllShown, setAreAllShown] = useState(false);
  const [wanted, setWanted] = useState(EVERYTHING);
  const [proven, setProven] = useState<AdminEvent | null>(null);
  const all = value ?? [];
  const changes = useRevisionChanges(all.flatMap(({ revision }) => revision ?? []));
  const found = all.filter((event) => fits(event, wanted, changes));
  const decided = new Set(all.flatMap(({ verdict, subject }) => (verdict ? [subject] : [])));
  const shown = areAllShown ? found : found.slice(0, SHOWN_FIRST);
  return (
    <Section kind="stack" title="Who did what">
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {value !== null && <Filters all={all} found={found} wanted={wanted} onWant={setWanted} />}
      <p class="quiet small-text">
        Keys, policies, people, freezes, the workspace’s name and the newest {verdictsMax} decided reviews.
        Changes of webhooks, limits and evidence, and erasures, are in the exported log only.
      </p>
      {value === null ? (
        failure === null && <Skeleton />
      ) : found.length === 0 ? (
        <p class="quiet">No matches.</p>
      ) : (
        <DataTable
          kind="panel stacks"
          caption="Changes to keys, policies, freezes, people and reviews, newest first"
          rows={shown}
          idOf={idOf}
          groupOf={({ at }) => dayInWords(new Date(at))}
          columns={columnsOf(all, changes, setProven)}
        />
      )}
      {proven !== null && (
        <EntrySheet at={proven.at} what={proven.what} by={proven.by} onClose={() => setProven(null)} />
      )}
      <p class="row">
        {found.length > shown.length && (
          <button type="button" onClick={() => setAreAllShown(true)}>
            Show all {found.length.toLocaleString('en')}
          </button>
        )}
        {decided.size >= verdictsMax && (
          <button type="button" onClick={() => setVerdictsMax(verdictsMax + VERDICTS_MAX)}>
            Read {VERDICTS_MAX} more reviews
          </button>
        )}
      </p>
    </Section>
  );
}

type Changes = ReturnType<typeof useRevisionChanges>;

function fits(event: AdminEvent, { text, about, days, who, ...chosen }: Wanted, changes: Changes): boolean {
  const { at, what, by, path, isSigned, revision = 0, amount, reason } = event;
  const { loosens = 0, unclear = 0 } = changes.get(revision) ?? {};
  const isLooser = loosens + unclear > 0;
  return (
    (about === SIGNED ? isSigned === true : about === LOOSER ? isLooser : (path ?? '').startsWith(about)) &&
    (who === '' || by === who) &&
    (days === CHOSEN ? isWithin(at, chosen) : days === 0 || Date.now() - Date.parse(at) < days * DAY_MS) &&
    `${what}\n${by ?? ''}\n${amount ?? ''}\n${reason ?? ''}`.toLowerCase().includes(text.trim().toLowerCase())
  );
}

interface FiltersProps {
  readonly all: readonly AdminEvent[];
  readonly found: readonly AdminEvent[];
  readonly wanted: Wanted;
  readonly onWant: (change: (before: Wanted) => Wanted) => void;
}

function Filters({ all, found, wanted, onWant }: FiltersProps) {
  const names = [...new Set(all.map(({ by }) => by ?? ''))].filter((name) => name !== '');
  const people = [['', 'Everybody'] as const, ...names.sort().map((name) => [name, plain(name)] as const)];
  const set =
    <Member extends keyof Wanted>(member: Member) =>
    (to: Wanted[Member]) =>
      onWant((before) => ({ ...before, [member]: to }));
  return (
    <div class="filter-bar">
      <TextField
        kind="search-field"
        label="Search changes"
        isLabelHidden
        type="search"
        value={wanted.text}
        placeholder="Search by name or person"
        onInput={set('text')}
      />
      <Choice label="About" isLabelHidden value={wanted.about} options={ABOUT} onChange={set('about')} />
      <Choice label="When" isLabelHidden value={wanted.days} options={PERIODS} onChange={set('days')} />
      {wanted.days === CHOSEN && (
        <>
          <TextField kind="day" label="From" type="date" value={wanted.from} onInput={set('from')} />
          <TextField kind="day" label="To" type="date" value={wanted.to} onInput={set('to')} />
        </>
      )}
      <Choice label="Who" isLabelHidden value={wanted.who} options={people} onChange={set('who')} />
      <button type="button" disabled={found.length === 0} onClick={() => save(found, 'csv')}>
        Export CSV
      </button>
      <button type="button" disabled={found.length === 0} onClick={() => save(found, 'json')}>
        JSON
      </button>
    </div>
  );
}

function save(events: readonly AdminEvent[], kind: 'csv' | 'json'): void {
  const rows = events.map(asChange);
  if (kind === 'csv') download('writecheck-changes.csv', csvOf(CHANGE_COLUMNS, rows), 'text/csv');
  else download('writecheck-changes.json', `${JSON.stringify(rows, null, 2)}\n`, 'application/json');
}

function columnsOf(
  all: readonly AdminEvent[],
  changes: Changes,
  onProve: (event: AdminEvent) => void,
): readonly Column<AdminEvent>[] {
  return [
    { head: localHead('When'), kind: 'when-full', cell: ({ at }) => <Moment at={at} as="time" /> },
    {
      head: 'What',
      kind: 'did',
      cell: ({ what, verdict, path, reason, revision = 0 }) => {
        const changed = changes.get(revision);
        return (
          <>
            {verdict !== undefined && <span class={`badge ${verdict.tone}`}>{verdict.word}</span>}
            {path === null ? (
              <Told text={what} />
            ) : (
              <a class="target" href={href(path)}>
                <Told text={verdict?.title ?? what} />
              </a>
            )}
            {changed !== undefined && <span class="line quiet small-text">{countsInWords(changed)}</span>}
            {verdict !== undefined && reason != null && (
              <span class="line quiet small-text">
                <RevealedText text={reason} />
              </span>
            )}
          </>
        );
      },
    },
    {
      head: 'Amount',
      kind: 'number',
      cell: ({ amount }) => amount != null && <RevealedText text={amount} />,
    },
    {
      head: 'By',
      cell: ({ by, isSigned }) => (
        <>
          <span class="phone-only quiet">by </span>
          {by === null ? <span class="quiet">not recorded</span> : <Told text={by} />}{' '}
          {isSigned && (
            <span class="tag" title="The verdict is signed with this person’s passkey">
              passkey
            </span>
          )}
        </>
      ),
    },
    {
      head: 'Log',
      cell: (event) =>
        !isFirstKey(event, all) && (
          <button type="button" class="plain in-row" onClick={() => onProve(event)}>
            Show entry
          </button>
        ),
    },
  ];
}

/** The keys that a workspace begins with are made with it, before its log. */
function isFirstKey({ at, event }: AdminEvent, all: readonly AdminEvent[]): boolean {
  return event === 'key.created' && at === all.at(-1)?.at;
}

/** An option has no markup, and odd characters in it are spelled out. */
function plain(name: string): string {
  return revealedPlain(name.replaceAll('`', ''));
}

function dayInWords(day: Date): string {
  const today = new Date();
  if (day.toDateString() === today.toDateString()) return 'Today';
  return new Date(today.getTime() - DAY_MS).toDateString() === day.toDateString() ? 'Yesterday' : dayOf(day);
}
