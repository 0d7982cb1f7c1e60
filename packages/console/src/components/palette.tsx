/** Resolves palette input to a page, an action, an object, a pasted ID or a search. */

import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { success } from '../api.ts';
import { scopeFrom } from '../state/freezing.ts';
import { lookedAt } from '../state/looked-at.ts';
import { go, href, usePlace } from '../state/route.ts';
import { useSession } from '../state/session.ts';
import { useLoad } from '../use-load.ts';
import { type Destination, destinationsFor } from './destinations.ts';
import { type KnownObjects, objectsFor, recentObject } from './known-objects.ts';
import { actionsFor } from './palette-actions.ts';
import { readObjects } from './read-objects.ts';
import { RevealedText } from './text.tsx';

const RECENT_MAX = 5;
const NOTHING: KnownObjects = [];

/** What the keys of the field do here. */
export type Keys = (event: KeyboardEvent) => void;

export interface DestinationsProps {
  readonly text: string;
  /** Set while the list is shown. */
  readonly keys: { current: Keys | null };
  /** Whether Enter was pressed before the list was there. */
  readonly isAwaited: boolean;
  /** Takes the element that the keys are on. */
  readonly onActive: (id: string | undefined) => void;
  readonly onClose: () => void;
}

export default function Destinations({ text, keys, isAwaited, onActive, onClose }: DestinationsProps) {
  const person = useSession()?.person;
  const [at, setAt] = useState(0);
  useEffect(() => setAt(0), [text]);
  const { value } = useLoad('objects', async (signal) => success(await readObjects(person, signal)));
  const known = value ?? NOTHING;
  const { path: here, query: narrowing } = usePlace();
  const actions = useMemo(() => actionsFor(person, scopeFrom(here, narrowing)), [person, here, narrowing]);
  const recent = useMemo(
    () =>
      lookedAt()
        .map(recentObject)
        .filter(({ path, query }) => href(path, query) !== location.hash),
    [],
  );
  const found = useMemo(
    () =>
      destinationsFor(
        text,
        person,
        objectsFor(text, [recent, ...known]),
        actions,
        recent.slice(0, RECENT_MAX),
      ),
    [text, person, known, actions],
  );
  const chosen = found[Math.min(at, found.length - 1)];
  const open = ({ path, query, act }: Destination) => {
    onClose();
    if (act === undefined) go(path, query);
    else act();
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((found.indexOf(chosen!) + step + found.length) % found.length);
    else if (event.key === 'Enter' && chosen !== undefined) open(chosen);
    else return;
    event.preventDefault();
  };
  useLayoutEffect(() => {
    keys.current = press;
    return () => {
      keys.current = null;
    };
  });
  const active = chosen === undefined ? undefined : `destination-${found.indexOf(chosen)}`;
  useLayoutEffect(() => onActive(active), [active]);
  useEffect(() => {
    if (isAwaited && chosen !== undefined) open(chosen);
  }, []);
  const option = (each: Destination) => {
    const index = found.indexOf(each);
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of its list.
      // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
      <div
        key={`${each.path} ${each.label}`}
        id={`destination-${index}`}
        role="option"
        aria-selected={each === chosen}
        onClick={() => open(each)}
      >
        <RevealedText text={each.label} />
        {each.what !== undefined && (
          <span class="quiet small-text">
            {' '}
            <RevealedText text={each.what} />
          </span>
        )}
        {each.keys !== undefined && (
          <span class="small-text wide-only" aria-hidden="true">
            {each.keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </span>
        )}
        {each.detail !== undefined && (
          <code class="detail">
            <RevealedText text={each.detail} />
          </code>
        )}
      </div>
    );
  };
  return (
    <div id="destinations" role="listbox" aria-label="Destinations">
      {[...Map.groupBy(found, ({ part }) => part)].map(([part, all]) =>
        part === undefined ? (
          all.map(option)
        ) : (
          // biome-ignore lint/a11y/useSemanticElements: a list box has groups, and no field sets.
          <div key={part} role="group" aria-label={part}>
            {all.map(option)}
          </div>
        ),
      )}
    </div>
  );
}
