/** Asks for the first and the last moment of a time, in the reader's own zone. */
import { MINUTE_MS } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { FieldFault } from '../../components/field-fault.tsx';
import { dayOf, localHead } from '../../components/moment.tsx';
import type { Filters } from './filters.ts';

export function ChosenTime({
  filters,
  onChoose,
  onClose,
}: {
  readonly filters: Filters;
  readonly onChoose: (changes: Filters) => void;
  readonly onClose: () => void;
}) {
  const [from, setFrom] = useState(localText(filters.from ?? dayBefore(0)));
  const [to, setTo] = useState(localText(filters.to ?? ''));
  const [isTried, setIsTried] = useState(false);
  const fault =
    from === '' ? 'Say from when.' : to !== '' && to <= from ? '“To” must be after “From”.' : null;
  const around = (minutes: number) => {
    const atMs = Date.parse(momentOf(from));
    const halfMs = (minutes * MINUTE_MS) / 2;
    setFrom(localText(new Date(atMs - halfMs).toISOString()));
    setTo(localText(new Date(atMs + halfMs).toISOString()));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    setIsTried(true);
    if (fault !== null) return;
    onChoose({ time: '', from: momentOf(from), to: to === '' ? '' : momentOf(to) });
    onClose();
  };
  return (
    <Dialog title="Choose a time" onClose={onClose}>
      <form noValidate onSubmit={submit}>
        <div class="row">
          {[
            { head: 'From', text: from, set: setFrom },
            { head: 'To', text: to, set: setTo },
          ].map(({ head, text, set }) => (
            <label key={head} class="day">
              {localHead(head)}
              <input type="datetime-local" value={text} onInput={(event) => set(event.currentTarget.value)} />
              <Read text={text} />
            </label>
          ))}
        </div>
        <div class="row">
          <button type="button" class="small" disabled={from === ''} onClick={() => around(15)}>
            15 minutes around “From”
          </button>
          <button type="button" class="small" disabled={from === ''} onClick={() => around(60)}>
            1 hour around it
          </button>
        </div>
        <p class="quiet small-text">Leave “To” empty for everything up to now.</p>
        <FieldFault text={isTried ? fault : null} />
        <div class="row dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Show it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The field has the browser's own order and clock; this is what every list here says. */
function Read({ text }: { readonly text: string }) {
  const at = new Date(text);
  return (
    <span class="quiet small-text">
      {Number.isNaN(at.getTime()) ? '\u00a0' : `${dayOf(at)}, ${text.slice(11, 16)}`}
    </span>
  );
}

/** The reader's yesterday, from midnight to midnight. */
export function yesterday(): Filters {
  return { time: '', from: dayBefore(1), to: dayBefore(0) };
}

/** The start of today, or of a day before it. */
function dayBefore(days: number): string {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - days);
  return day.toISOString();
}

/** The input's format; empty if the address holds no valid time. */
function localText(at: string): string {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return '';
  return new Date(moment.getTime() - moment.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

function momentOf(text: string): string {
  return new Date(text).toISOString();
}
