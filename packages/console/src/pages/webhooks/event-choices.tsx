/** Which events a webhook is for: in groups, in words, each group as a whole or in parts. */
import { EVENT_SENTENCES } from '@writecheck/contract';
import { Checks } from '../../components/checks.tsx';
import { EVENTS, type Events, eventGroups } from './event-groups.ts';

export function EventChoices({
  chosen,
  onChange,
}: {
  readonly chosen: Events;
  readonly onChange: (chosen: Events) => void;
}) {
  return eventGroups().map(({ name, events }) => {
    const areAll = events.every((event) => chosen.includes(event));
    const set = (some: Events) =>
      onChange(EVENTS.filter((each) => (events.includes(each) ? some : chosen).includes(each)));
    return (
      <Checks
        key={name}
        kind="event-group"
        title={
          <>
            {name}{' '}
            <button type="button" class="plain small" onClick={() => set(areAll ? [] : events)}>
              {areAll ? 'None' : 'All'}
              <span class="hidden"> of {name}</span>
            </button>
          </>
        }
        options={events.map((event) => [
          event,
          <>
            {EVENT_SENTENCES[event]} <code class="quiet">{event}</code>
          </>,
        ])}
        chosen={chosen}
        onChange={set}
      />
    );
  });
}
