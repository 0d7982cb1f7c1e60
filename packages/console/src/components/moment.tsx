/** A moment in the user's time zone, exact on hover and for machines. */
import { coarse, inWords } from '../picture/durations.ts';
import { now } from '../state/now.ts';
import { useServiceAheadMs } from '../state/service-clock.ts';
import { useStore } from '../state/store.ts';

/**
 * `full` has date and zone, for records and paper; `clock` is for lists: when exactly, and how long ago. `time` stands
 * under its day; `brief` is hours and minutes, beside something that has the day.
 */
export function Moment({ at, as = 'moment' }: { readonly at: string; readonly as?: Form }) {
  return (
    // On paper a short time is shown in full, from its title.
    <time
      class={as === 'full' || as === 'age' ? undefined : 'short'}
      dateTime={at}
      title={as === 'full' ? at : fullMoment(new Date(at))}
    >
      {shownAs(at, as)}
    </time>
  );
}

type Form = 'moment' | 'age' | 'ago' | 'full' | 'clock' | 'time' | 'brief';

function shownAs(at: string, as: Form) {
  switch (as) {
    case 'age':
      return <Age at={at} />;
    case 'ago':
      return <Ago at={at} />;
    case 'clock':
      return (
        <>
          {TIME.format(new Date(at))}
          <span class="line quiet small-text">
            <Day at={new Date(at)} />
          </span>
        </>
      );
    case 'full':
      return (
        <>
          {fullMoment(new Date(at))}
          <Local at={new Date(at)} />
        </>
      );
    case 'time':
      return TIME.format(new Date(at));
    case 'moment':
      return shortMoment(new Date(at));
    case 'brief':
      return HERE.format(new Date(at));
  }
}

function Ago({ at }: { readonly at: string }) {
  const ageMs = Math.max(0, useStore(now) + useServiceAheadMs() - Date.parse(at));
  return <>{ageMs < JUST_NOW_MS ? 'just now' : `${coarse(ageMs)} ago`}</>;
}

/** Under a clock time: how long ago, and which day if not today. Of another year the date says enough. */
function Day({ at }: { readonly at: Date }) {
  const today = new Date();
  if (at.getFullYear() !== today.getFullYear()) return <>{FAR_DAY.format(at)}</>;
  const isToday = at.toDateString() === today.toDateString();
  if (isToday) return <Ago at={at.toISOString()} />;
  return (
    <>
      {DAY.format(at)}
      {/* A phone has no room for both. */}
      <span class="wide-only">
        {' · '}
        <Ago at={at.toISOString()} />
      </span>
    </>
  );
}

const JUST_NOW_MS = 5_000;

function Age({ at }: { readonly at: string }) {
  const nowMs = useStore(now) + useServiceAheadMs();
  return <>{inWords(Math.max(0, nowMs - Date.parse(at)))}</>;
}

/** English with the day first and 24 hours, so that nobody reads 3 April as 4 March. */
const LOCALE = 'en-GB';
const TIME = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const FAR_DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });

/** Leaves out the date if it is today. */
export function shortMoment(moment: Date, today = new Date()): string {
  if (moment.toDateString() === today.toDateString()) return TIME.format(moment);
  return `${dayOf(moment, today)}, ${TIME.format(moment)}`;
}

export function dayOf(moment: Date, today = new Date()): string {
  return moment.getFullYear() === today.getFullYear() ? DAY.format(moment) : FAR_DAY.format(moment);
}

const UTC_DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Of days that the service counts, which are days in UTC for every reader. */
export function utcDay(day: Date): string {
  const isFar = day.getUTCFullYear() !== new Date().getUTCFullYear();
  return `${UTC_DAY.format(day)}${isFar ? ` ${day.getUTCFullYear()}` : ''}`;
}

/** The head of a column of clock times: they are in the reader's own zone. */
export function localHead(head: string): string {
  return `${head} (${new Date().getTimezoneOffset() === 0 ? 'UTC' : 'local'})`;
}

const FULL = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
});

/** Shows local time beside UTC. */
function Local({ at }: { readonly at: Date }) {
  if (Number.isNaN(at.getTime()) || at.getTimezoneOffset() === 0) return null;
  const isSameDay = at.getDate() === at.getUTCDate();
  return (
    <span class="quiet small-text no-print">
      {' '}
      {isSameDay ? '' : `${DAY.format(at)}, `}
      {HERE.format(at)} your time
    </span>
  );
}

const HERE = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' });

/** With date and zone, the same for every reader. */
export function fullMoment(moment: Date): string {
  return Number.isNaN(moment.getTime()) ? 'unknown' : `${FULL.format(moment)} UTC`;
}
