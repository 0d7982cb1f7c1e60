/** "What the record says": the facts that sources signed, apart from everything that the caller says. */
import type { EvidenceItem, FactsReading, FactsStatus, WriteIntent } from '@writecheck/contract';
import type { ControlDefinition, PolicyDocument } from '@writecheck/engine';
import { useMemo } from 'preact/hooks';
import { type Column, DataTable } from '../components/data-table.tsx';
import { inWords as moneyInWords } from '../components/decision/said-in-intent.ts';
import { Moment } from '../components/moment.tsx';
import { Section } from '../components/page.tsx';
import { CallerText } from '../components/text.tsx';
import { ago, durationWords } from './durations.ts';
import type { RecordValues } from './evidence-facts.ts';
import {
  columnsOf,
  controlIn,
  isAmount,
  nameInWords,
  type Reads,
  type RecordRow,
  readersOf,
  readsOf,
  rowsOf,
  valuesOf,
} from './record-facts.ts';

const WITHOUT: { readonly [status in Exclude<FactsStatus, 'used'>]: string } = {
  missing: 'No facts were sent.',
  stale: 'The facts sent are too old.',
  expired: 'The facts sent have expired.',
  untrusted: 'The facts sent are not signed by an accepted source.',
  failed: 'The source says that the check failed.',
  revoked: 'The facts sent are revoked.',
  unrecognized: 'The source gave a result that is not recognized.',
};

type OnAdd = (controlId: string, source: string) => void;

export function RecordCard({
  readings,
  intent,
  documents,
  atMs,
  factsOf,
  onAdd,
}: {
  readonly readings: readonly FactsReading[];
  readonly intent: WriteIntent;
  /** The bundle that the decision was made with. */
  readonly documents: readonly PolicyDocument[];
  readonly atMs: number;
  /** Where an item's facts are, if not in its signed claim. */
  readonly factsOf?: (item: EvidenceItem, at: number) => RecordValues | null;
  /** Set if the page can add facts that are missing. */
  readonly onAdd?: OnAdd;
}) {
  const reads = useMemo(() => readsOf(documents, intent), [documents, intent]);
  return (
    <Section kind="card record" title="What the record says">
      {readings.map((reading) => (
        <Reading
          key={reading.controlId}
          reading={reading}
          values={valuesOf(reading, intent.controlEvidence ?? [], factsOf)}
          reads={reads}
          atMs={atMs}
          control={controlIn(documents, reading.controlId)}
          onAdd={onAdd}
        />
      ))}
    </Section>
  );
}

function Reading({
  reading,
  values,
  reads,
  atMs,
  control,
  onAdd,
}: {
  readonly reading: FactsReading;
  readonly values: RecordValues | null;
  readonly reads: Reads;
  readonly atMs: number;
  readonly control: ControlDefinition | null;
  readonly onAdd: OnAdd | undefined;
}) {
  const { controlId, status, source, checkedAt } = reading;
  const readMs = Date.parse(checkedAt ?? '');
  return (
    <div class="stack near">
      <h3>
        <CallerText text={controlId} />
        {source !== undefined && (
          <>
            {' from '}
            <CallerText text={source} />
          </>
        )}
        {!Number.isNaN(readMs) && <span title={checkedAt}>, read {beforeIt(atMs - readMs)}</span>}
      </h3>
      {status !== 'used' ? (
        <div class="note note-care">
          {WITHOUT[status]} No rule could read them for this write.
          {control !== null && (
            <span class="line small-text">
              Accepted from {(control.sources ?? ['any registered source']).join(' or ')}
              {control.maxAge !== undefined && `, at most ${durationWords(control.maxAge)} old`}.
            </span>
          )}
          {onAdd !== undefined && (
            <button
              type="button"
              class="small"
              onClick={() => onAdd(controlId, control?.sources?.[0] ?? 'source')}
            >
              Add facts of {controlId}
            </button>
          )}
        </div>
      ) : values === null ? (
        <p class="note">Signed items differ, so no single value is shown. The intent as JSON has each.</p>
      ) : (
        <Values values={values} controlId={controlId} reads={reads} />
      )}
    </div>
  );
}

/** Shows no age below one second. */
function beforeIt(ms: number): string {
  return ago(ms)
    .replace(/^just now$/, 'right before the decision')
    .replace(/ ago$/, ' before the decision');
}

function Values({
  values,
  controlId,
  reads,
}: {
  readonly values: RecordValues;
  readonly controlId: string;
  readonly reads: Reads;
}) {
  const rows = rowsOf(values).map((row) => ({
    ...row,
    readers: readersOf(reads, ['facts', controlId, ...row.names].join('.')),
  }));
  // What a rule read comes first.
  const ordered = [...rows].sort((a, b) => Number(b.readers.length > 0) - Number(a.readers.length > 0));
  return (
    <dl class="stack near record-members">
      {ordered.map((row) => (
        <div key={row.names.join('.')}>
          <dt title={['facts', controlId, ...row.names].join('.')}>
            {row.names.map(nameInWords).join(' › ')}
            {row.readers.length > 0 && (
              <span class="readers small-text">
                read by <CallerText text={row.readers.join(', ')} />
              </span>
            )}
          </dt>
          <dd>
            <Value row={row} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ row }: { readonly row: RecordRow }) {
  const columns = columnsOf(row.value);
  if (columns !== null) return <List name={row.names.at(-1)!} columns={columns} value={row.value} />;
  return <Scalar value={row.value} currency={row.currency} name={row.names.at(-1)!} />;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/;

function Scalar({
  value,
  currency,
  name,
}: {
  readonly value: unknown;
  readonly currency: string | null;
  readonly name: string;
}) {
  if (typeof value === 'string' && TIME.test(value)) return <Moment at={value} as="full" />;
  if (typeof value === 'number' && isAmount(name))
    return <CallerText text={moneyInWords({ amount: value, currency })} />;
  if (value === undefined || value === null) return <span class="quiet">–</span>;
  return <CallerText text={typeof value === 'string' ? value : JSON.stringify(value)} />;
}

const ROWS_MAX = 50;

function List({
  name,
  columns,
  value,
}: {
  readonly name: string;
  readonly columns: readonly string[];
  readonly value: unknown;
}) {
  const rows = (value as readonly RecordValues[]).map((values, at) => ({ at, values }));
  type Row = (typeof rows)[number];
  return (
    <>
      <DataTable
        caption={nameInWords(name)}
        kind="record-list"
        rows={rows.slice(0, ROWS_MAX)}
        idOf={({ at }) => String(at)}
        columns={columns.map(
          (column): Column<Row> => ({
            name: column,
            head: nameInWords(column),
            cell: ({ values }) => (
              <Scalar
                value={values[column]}
                name={column}
                currency={typeof values.currency === 'string' ? values.currency : null}
              />
            ),
          }),
        )}
      />
      {rows.length > ROWS_MAX && (
        <p class="quiet small-text">
          The first {ROWS_MAX} of {rows.length}. The intent as JSON has all of them.
        </p>
      )}
    </>
  );
}
