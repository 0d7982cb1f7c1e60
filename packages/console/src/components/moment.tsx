/** A moment in the user's time zone, exact on hover and for machines. */

import { inWords } from '../picture/durations.ts';
import { now } from '../state/now.ts';
import { useServiceAheadMs } from '../state/service-clock.ts';
import { useStore } from '../state/store.ts';

export function Moment({ at, as = 'moment' }: { readonly at: string; readonly as?: 'moment' | 'age' }) {
  return (
    <time dateTime={at} title={at}>
      {as === 'age' ? <Age at={at} /> : shortMoment(new Date(at))}
    </time>
  );
}

function Age({ at }: { readonly at: string }) {
  const nowMs = useStore(now) + useServiceAheadMs();
  return <>{inWords(Math.max(0, nowMs - Date.parse(at)))}</>;
}

const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const FAR_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** Leaves out the date if it is today. */
export function shortMoment(moment: Date, today = new Date()): string {
  if (moment.toDateString() === today.toDateString()) return TIME.format(moment);
  return `${dayOf(moment, today)}, ${TIME.format(moment)}`;
}

export function dayOf(moment: Date, today = new Date()): string {
  return moment.getFullYear() === today.getFullYear() ? DAY.format(moment) : FAR_DAY.format(moment);
}
