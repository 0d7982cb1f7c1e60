/** Which events a webhook is for: in groups, in words, each group as a whole or in parts. */
import { WEBHOOK_TITLES } from '@writecheck/contract';
import { EVENTS, type Events, eventGroups } from './event-groups.ts';

export function EventChoices({
  chosen,
  onChange,
}: {
  readonly chosen: Events;
  readonly onChange: (chosen: Events) => void;
}) {
  const set = (events: Events, isOn: boolean) => {
    const rest = chosen.filter((each) => !events.includes(each));
    onChange(isOn ? EVENTS.filter((each) => rest.includes(each) || events.includes(each)) : rest);
  };
  return eventGroups().map(({ name, events }) => {
    const areAll = events.every((event) => chosen.includes(event));
    return (
      <fieldset key={name} class="event-group">
        <legend>
          {name}{' '}
          <button type="button" class="plain small" onClick={() => set(events, !areAll)}>
            {areAll ? 'None' : 'All'}
            <span class="hidden"> of {name}</span>
          </button>
        </legend>
        {events.map((event) => (
          <label key={event} class="kind">
            <input
              type="checkbox"
              checked={chosen.includes(event)}
              onChange={({ currentTarget }) => set([event], currentTarget.checked)}
            />
            <span>
              {WEBHOOK_TITLES[event]} <code class="quiet">{event}</code>
            </span>
          </label>
        ))}
      </fieldset>
    );
  });
}
