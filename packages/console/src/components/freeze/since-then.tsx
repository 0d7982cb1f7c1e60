/** What a freeze has stopped since it began, and what was allowed just before it. */

import type { Freeze } from '@writecheck/api';
import { listDecisions } from '../../calls/decisions.ts';
import { readFreeze } from '../../calls/freezes.ts';
import { href } from '../../state/route.ts';
import { useEvery, useLoad } from '../../use-load.ts';
import { counted } from '../counted.ts';
import { Fact } from '../fact.tsx';
import { Moment } from '../moment.tsx';
import { CallerText } from '../text.tsx';
import { matcherOf } from './scope-matcher.ts';
import { filtersOf } from './scope-words.ts';

const LIVE_EVERY_MS = 2_000;
const COUNTED_MAX = '200';
/** The longest that an allow is valid. */
const VALID_MS = 300_000;

export function SinceThen({ freeze }: { readonly freeze: Freeze }) {
  return (
    <dl class="facts since-then">
      <Fact name="Stopped since">
        <span aria-live="polite">
          <Stopped freeze={freeze} />
        </span>
      </Fact>
      <Fact name="Allowed just before">
        <AllowsBefore freeze={freeze} />
      </Fact>
    </dl>
  );
}

export function Stopped({ freeze }: { readonly freeze: Freeze }) {
  const { id, scope, createdAt, liftedAt } = freeze;
  const { value, failure, isLoading, reload } = useLoad(`stopped ${id} ${liftedAt}`, (signal) =>
    listDecisions(
      { reason_code: 'frozen', from: createdAt, ...(liftedAt && { to: liftedAt }), limit: COUNTED_MAX },
      signal,
    ),
  );
  useEvery(LIVE_EVERY_MS, liftedAt === null && !isLoading, reload);
  if (value === null) return <span class="quiet">{failure === null ? 'counting …' : 'not known'}</span>;
  const rows = value.decisions.filter(matcherOf(scope));
  const [last] = rows;
  if (last === undefined) return <>nothing{liftedAt === null && ' yet'}</>;
  const filters = { ...filtersOf(scope), reason_code: 'frozen', from: createdAt, to: liftedAt ?? '' };
  return (
    <>
      <a href={href('/decisions', filters)}>
        {rows.length}
        {value.nextCursor !== null && ' or more'} {rows.length === 1 ? 'check' : 'checks'}
      </a>
      <span class="quiet small-text">
        , last by <CallerText text={last.keyName ?? last.keyId} /> <Moment at={last.timestamp} as="ago" />
      </span>
    </>
  );
}

/** A write that was allowed before, and that nobody redeems, may still happen while its allow is valid. */
function AllowsBefore({ freeze }: { readonly freeze: Freeze }) {
  const { id, scope, createdAt } = freeze;
  const { value, failure } = useLoad(`before ${id}`, (signal) => readFreeze(id, signal));
  if (value === null) return <span class="quiet">{failure === null ? 'counting …' : 'not known'}</span>;
  const { count, redeemed } = value.allowsBefore;
  if (count === 0) return <>No allowed write is pending.</>;
  const beganMs = Date.parse(createdAt);
  const [from, to] = [new Date(beganMs - VALID_MS), new Date(beganMs)].map((at) => at.toISOString());
  const left = count - redeemed;
  return (
    <>
      <a href={href('/decisions', { ...filtersOf(scope), decision: 'allow', from: from!, to: to! })}>
        {counted(count, 'write')}
      </a>
      , {redeemed === 0 ? 'none taken' : `${redeemed} taken`}.
      {left > 0 && (
        <span class="line small-text">
          {left === 1 ? 'One' : left} may still happen until{' '}
          <Moment at={new Date(beganMs + VALID_MS).toISOString()} />, if the system writes without redeeming.
        </span>
      )}
    </>
  );
}
