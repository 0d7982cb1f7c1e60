/** What a write takes of each limit that applies: a bar and a sentence for each. */
import type { LimitState } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { Meter } from '../components/meter.tsx';
import { Moment } from '../components/moment.tsx';
import { CallerText } from '../components/text.tsx';
import { groupOf, type Looked, limitIn } from './limit-group.ts';
import {
  amountWords,
  type GroupPart,
  groupWords,
  ordinal,
  overBy,
  placeOf,
  shareOf,
  windowWords,
  withUnit,
} from './limit-words.ts';

export function LimitLines({
  limits,
  documents,
  looked,
  beside,
}: {
  readonly limits: readonly LimitState[];
  /** The bundle that the decision was made with, for what the limits count by. */
  readonly documents: readonly PolicyDocument[];
  readonly looked: Looked;
  /** What a page adds to each, such as a field. */
  readonly beside?: ((limit: LimitState) => preact.ComponentChildren) | undefined;
}) {
  return (
    <ul class="limit-lines">
      {[...limits]
        .sort((a, b) => Number(b.beyond) - Number(a.beyond))
        .map((limit) => (
          <li key={limit.id}>
            <LimitLine limit={limit} documents={documents} looked={looked} />
            {beside?.(limit)}
          </li>
        ))}
    </ul>
  );
}

function LimitLine({
  limit,
  documents,
  looked,
}: {
  readonly limit: LimitState;
  readonly documents: readonly PolicyDocument[];
  readonly looked: Looked;
}) {
  const { id, max, drawn, draw, per, resetsAt, beyond, observed } = limit;
  const document = limitIn(documents, id);
  const { unit, parts } =
    document === null ? { unit: null, parts: [] } : groupWords(document, groupOf(document, looked));
  const over = overBy(limit);
  return (
    <>
      <p class="limit-name">
        <strong>
          <CallerText text={id} />
        </strong>
        {observed && <span class="chip observed">observe</span>}
        {beyond && <span class={`limit-state ${observed ? '' : 'pause'}`}>beyond the limit</span>}
      </p>
      {drawn === null ? (
        <p>What this write counts for can’t be read, so it counts as beyond the limit.</p>
      ) : (
        <>
          <LimitBar drawn={drawn} draw={draw ?? '0'} max={max} isBeyond={beyond} />
          <p>
            {amountWords(drawn, unit)} of {withUnit(max, unit)} {windowWords(per)}
            <For parts={parts} />.{' '}
            {draw === null ? (
              'The amount of this write can’t be read, so it counts as beyond the limit.'
            ) : (
              <>
                This write: {unit === 'writes' ? `the ${ordinal(placeOf(drawn))}` : withUnit(draw, unit)}
                {over !== null && unit !== 'writes' && `, ${withUnit(over, unit)} too much`}.
              </>
            )}
          </p>
        </>
      )}
      {beyond && resetsAt !== null && (
        <p class="quiet small-text">
          {isCalendar(per) ? 'Starts again at zero' : 'Some of it is free again'}{' '}
          <Moment at={resetsAt} as="full" />
        </p>
      )}
    </>
  );
}

function isCalendar(per: string): boolean {
  return /^[a-z]+$/.test(per);
}

export function For({ parts }: { readonly parts: readonly GroupPart[] }) {
  if (parts.length === 0) return null;
  return (
    <>
      {' for '}
      {parts.map(({ name, text }, at) => (
        <span key={name}>
          {at > 0 && ', '}
          {name !== null && <span class="quiet">{name} </span>}
          <strong>
            <CallerText text={text} />
          </strong>
        </span>
      ))}
    </>
  );
}

/** In percent. */
const HIGH_FROM = 80;

/** What is drawn, then what this write takes. */
export function LimitBar({
  drawn,
  draw = '0',
  max,
  isBeyond,
}: {
  readonly drawn: string;
  readonly draw?: string;
  readonly max: string;
  readonly isBeyond: boolean;
}) {
  const filled = 100 * shareOf(drawn, max);
  const isOver = isBeyond || filled >= 100;
  const tone = isOver ? 'block' : filled >= HIGH_FROM ? 'pause' : '';
  const taken = Math.min(100 - filled, 100 * shareOf(draw, max));
  return (
    <Meter
      parts={[
        [tone, filled],
        [`this ${isOver ? tone : ''}`, taken],
      ]}
    />
  );
}
