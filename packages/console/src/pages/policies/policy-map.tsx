/** A map of the live bundle: which profile or workflow requires which control. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { readBundle } from '../../calls/policies.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextField } from '../../components/field.tsx';
import { Empty, PageHead, Section } from '../../components/page.tsx';
import { href, replacePlace, usePlace } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import {
  type ControlRow,
  controlTraits,
  type Place,
  type RequirementMap,
  requirementMap,
} from './requirement-map.ts';

/** Keep the map readable and fast; the search finds the rest. */
const PLACES_MAX = 24;
const CONTROLS_MAX = 60;

export default function PolicyMap() {
  const { value: bundle, failure, readAt, reload } = useLoad('bundle', readBundle);
  const { query } = usePlace();
  const find = query.get('find') ?? '';
  const whole = useMemo(() => requirementMap(bundle?.documents ?? []), [bundle]);
  const found = useMemo(() => narrowed(whole, find.trim().toLowerCase()), [whole, find]);
  return (
    <div class="page">
      <PageHead title="Policy map" />
      <ErrorNote failure={failure} onRetry={reload} readAt={readAt} />
      {bundle !== null && whole.places.length === 0 && (
        <Empty title="No rules yet">
          Profiles and workflows say which controls a write needs. <a href={href('/policies')}>Write one</a>.
        </Empty>
      )}
      {whole.places.length > 0 && (
        <>
          <search>
            <TextField
              kind="find"
              label="Find a control, profile, workflow or system"
              type="search"
              value={find}
              onInput={(entered) => replacePlace('/policies/map', { find: entered })}
            />
          </search>
          <div class="stack">
            <Matrix map={found} />
          </div>
          <div class="two">
            <Places places={found.places} />
            <Controls map={found} />
          </div>
        </>
      )}
    </div>
  );
}

function narrowed(map: RequirementMap, find: string): RequirementMap {
  if (find === '') return map;
  const has = (text: string) => text.toLowerCase().includes(find);
  const asks = ({ own, inherited, uses }: Place, id: string) =>
    own.has(id) || inherited.has(id) || uses.has(id);
  const named = new Set(map.controls.filter(({ id }) => has(id)).map(({ id }) => id));
  const places = map.places.filter(
    (place) => has(place.id) || has(place.reach) || [...named].some((id) => asks(place, id)),
  );
  const controls = map.controls.filter(({ id }) => named.has(id) || places.some((place) => asks(place, id)));
  return { places, controls };
}

function Matrix({ map }: { readonly map: RequirementMap }) {
  const places = map.places.slice(0, PLACES_MAX);
  const controls = map.controls.slice(0, CONTROLS_MAX);
  const matrix = useRef<HTMLElement>(null);
  const [isWide, setIsWide] = useState(false);
  useEffect(() => {
    const { scrollWidth = 0, clientWidth = 0 } = matrix.current ?? {};
    // Less than this is rounding, not a column.
    setIsWide(scrollWidth - clientWidth > 8);
  }, [map]);
  if (places.length === 0 || controls.length === 0) return <p class="quiet">No matches.</p>;
  const areKinds = new Set(places.map(({ kind }) => kind)).size > 1;
  const isCut = places.length < map.places.length || controls.length < map.controls.length;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls. */}
      <section ref={matrix} class="matrix" tabIndex={0} aria-label="Required controls">
        <table>
          <caption class="hidden">Controls by row, profiles, workflows and limits by column</caption>
          <thead>
            <tr>
              <td />
              {places.map((place) => (
                <th key={`${place.kind} ${place.id}`} scope="col">
                  <span class="matrix-head">
                    {areKinds && <span class="quiet small-text">{place.kind.toLowerCase()}</span>}
                    <a href={href('/policies', { document: place.id })}>{place.id}</a>
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {controls.map(({ id }) => (
              <tr key={id}>
                <th scope="row">{id}</th>
                {places.map((place) => (
                  <td key={`${place.kind} ${place.id}`}>
                    <Dot place={place} control={id} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="quiet small-text dot-legend">
        <span>
          <Mark /> required
        </span>
        <span>
          <Mark isRing /> required by one of the workflow’s profiles
        </span>
        <span>
          <Mark isObserved /> observe only
        </span>
        {isWide && <span>Scroll sideways for all {places.length} columns.</span>}
        {isCut && <span>Not all are shown; search to find others.</span>}
      </p>
    </>
  );
}

function Dot({ place, control }: { readonly place: Place; readonly control: string }) {
  const isOwn = place.own.has(control);
  const use = place.uses.get(control);
  if (!isOwn && !place.inherited.has(control))
    return use === undefined ? null : <span class="quiet small-text">{use}</span>;
  const isObserved = place.mode === 'observe';
  const label = `${isOwn ? 'required' : 'required by a profile'}${isObserved ? ', observe only' : ''}`;
  return <Mark isRing={!isOwn} isObserved={isObserved} label={label} />;
}

function Mark({
  isRing = false,
  isObserved = false,
  label,
}: {
  readonly isRing?: boolean;
  readonly isObserved?: boolean;
  /** None beside words that say the same. */
  readonly label?: string;
}) {
  return (
    <svg
      class={`dot${isRing ? ' ring' : ''}${isObserved ? ' observed' : ''}`}
      viewBox="0 0 12 12"
      width="12"
      height="12"
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined ? true : undefined}
    >
      <circle cx="6" cy="6" r={isRing ? 4 : 4.5} />
    </svg>
  );
}

function Places({ places }: { readonly places: readonly Place[] }) {
  return (
    <Section title="Profiles, workflows and limits">
      <ul class="stack things">
        {places.slice(0, PLACES_MAX).map((place) => (
          <li key={`${place.kind} ${place.id}`}>
            <p>
              <strong>{place.id}</strong> <span class="quiet small-text">{place.kind.toLowerCase()}</span>{' '}
              <span class={place.mode === 'observe' ? 'chip observed' : 'chip'}>{place.mode}</span>
            </p>
            <p class="quiet small-text">
              {place.reach}
              {place.asksForAuthority && ' · must match the authoritative value'}
              {place.profiles.length > 0 && ` · with ${place.profiles.join(', ')}`}
            </p>
            {place.when !== null && (
              <p class="small-text">
                when <code>{place.when}</code>
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Controls({ map }: { readonly map: RequirementMap }) {
  return (
    <Section title="Controls">
      <ul class="stack things">
        {map.controls.slice(0, CONTROLS_MAX).map((control) => (
          <Control key={control.id} control={control} places={map.places} />
        ))}
      </ul>
    </Section>
  );
}

function Control({ control, places }: { readonly control: ControlRow; readonly places: readonly Place[] }) {
  const asking = places.filter(({ own }) => own.has(control.id));
  const using = places.filter(({ own, uses }) => uses.has(control.id) && !own.has(control.id));
  return (
    <li>
      <p>
        <a href={href('/policies/map', { find: control.id })}>{control.id}</a>{' '}
        <span class="quiet small-text">
          {control.pack === null ? 'defined in no pack' : `in ${control.pack}`} ·{' '}
          {asking.length + using.length === 0 && 'no rule uses it'}
          {asking.length > 0 && `required by ${named(asking)}`}
          {asking.length * using.length > 0 && ' · '}
          {using.length > 0 && `used by ${named(using)}`}
        </span>
      </p>
      <p class="small-text">{controlTraits(control).join(' · ')}</p>
    </li>
  );
}

const NAMED_MAX = 6;

function named(places: readonly Place[]): string {
  return places.length <= NAMED_MAX ? places.map(({ id }) => id).join(', ') : `${places.length} rules`;
}
