/** The one table: columns said once, drawn in steps, sorted by a column's head if the column can. */
import { Fragment } from 'preact';
import { useGrowing } from './use-growing.ts';

/** More rows in one task would block the page. */
const ROWS_AT_ONCE = 8;
/** Fewer, because the page around them is drawn in the same task. */
const ROWS_FIRST = 4;

export interface Column<Row> {
  /** Its head, if that is a text. */
  readonly name?: string;
  readonly head: preact.ComponentChildren;
  /** For the head and the cells alike. */
  readonly kind?: string;
  /** Whether the cell names its row. */
  readonly isName?: boolean;
  /** Makes the head a button. Numbers sort from the largest down, texts from A. */
  readonly sortBy?: (row: Row) => number | string;
  /** Whether its first order goes up, if the page sorts by itself; texts go up, numbers down. */
  readonly goesUp?: boolean;
  readonly cell: (row: Row) => preact.ComponentChildren;
}

/** The column of a row's buttons. */
export const ACTIONS = {
  name: 'actions',
  head: <span class="hidden">Actions</span>,
  kind: 'actions',
} as const;

export interface Sorting {
  readonly by: string;
  readonly isReversed: boolean;
}

export function DataTable<Row>({
  caption,
  kind = 'panel',
  columns,
  rows,
  idOf,
  isBusy,
  sorting,
  onSort,
  below,
  groupOf,
}: {
  readonly caption: string;
  readonly kind?: string;
  readonly columns: readonly (Column<Row> | null)[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly isBusy?: boolean;
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
  /** What an expanded row shows under itself. */
  readonly below?: (row: Row) => preact.ComponentChildren;
  /** A heading before the first row of each group; rows of a group follow each other. */
  readonly groupOf?: (row: Row) => string;
}) {
  const shown = columns.filter((column) => column !== null);
  const drawn = useGrowing(rows.map(idOf), ROWS_AT_ONCE, ROWS_FIRST);
  return (
    <table class={kind} aria-busy={isBusy}>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {shown.map((column) => (
            <Head
              key={nameOf(column)}
              column={column}
              goesUp={goesUp(column, rows[0])}
              sorting={sorting}
              onSort={onSort}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, drawn).map((row, at) => {
          const more = below?.(row) ?? null;
          const group = groupOf?.(row);
          return (
            <Fragment key={idOf(row)}>
              {group !== undefined && (at === 0 || groupOf!(rows[at - 1]!) !== group) && (
                <tr class="group">
                  <th colSpan={shown.length} scope="colgroup">
                    {group}
                  </th>
                </tr>
              )}
              <tr>
                {shown.map((column) => {
                  const Cell = column.isName ? 'th' : 'td';
                  return (
                    <Cell key={nameOf(column)} scope={column.isName ? 'row' : undefined} class={column.kind}>
                      {column.cell(row)}
                    </Cell>
                  );
                })}
              </tr>
              {more !== null && (
                <tr class="below">
                  <td colSpan={shown.length}>{more}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

function nameOf({ name, head }: Column<never>): string {
  return name ?? String(head);
}

function goesUp<Row>({ goesUp: said, sortBy }: Column<Row>, first: Row | undefined): boolean {
  return said ?? (first !== undefined && typeof sortBy?.(first) === 'string');
}

function Head<Row>({
  column,
  goesUp: isUpFirst,
  sorting,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly goesUp: boolean;
  readonly sorting: Sorting | undefined;
  readonly onSort: ((sorting: Sorting) => void) | undefined;
}) {
  const { head, kind, sortBy } = column;
  if (sortBy === undefined || onSort === undefined)
    return (
      <th scope="col" class={kind}>
        {head}
      </th>
    );
  const by = nameOf(column);
  const isBy = sorting?.by === by;
  const isReversed = isBy && sorting.isReversed;
  const isUp = isUpFirst !== isReversed;
  return (
    <th scope="col" class={kind} aria-sort={isBy ? (isUp ? 'ascending' : 'descending') : undefined}>
      <button type="button" class="sort" onClick={() => onSort({ by, isReversed: isBy && !isReversed })}>
        {head}
        {isBy && <span aria-hidden="true">{isUp ? ' ↑' : ' ↓'}</span>}
      </button>
    </th>
  );
}

/** Leaves the order alone if no column is chosen. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly (Column<Row> | null)[],
  sorting: Sorting | undefined,
): readonly Row[] {
  const sortBy = columns.find((column) => column !== null && nameOf(column) === sorting?.by)?.sortBy;
  if (sortBy === undefined) return rows;
  const direction = sorting?.isReversed ? -1 : 1;
  return [...rows].sort((a, b) => direction * compare(sortBy(a), sortBy(b)));
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return b - a;
  return String(a).localeCompare(String(b), 'en');
}
