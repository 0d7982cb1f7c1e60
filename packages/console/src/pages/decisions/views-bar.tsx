/** Saved views of the list, kept in this browser for each workspace: open one, save the present filters, remove one. */

import { useState } from 'preact/hooks';
import { TextField } from '../../components/field.tsx';
import { RevealedText } from '../../components/text.tsx';
import { keptForever } from '../../state/kept.ts';
import { useSession } from '../../state/session.ts';
import { type Filters, isNarrowed } from './filters.ts';

const NAME_MAX = 60;

export function ViewsBar({ filters }: { readonly filters: Filters }) {
  const workspace = useSession()?.workspace.id ?? '';
  const [views, setViews] = useState(() => readViews(workspace));
  const [name, setName] = useState<string | null>(null);
  const keep = (next: readonly SavedView[]) => {
    setViews(next);
    writeViews(workspace, next);
  };
  const { pages: _page, ...shown } = filters;
  const search = new URLSearchParams(shown).toString();
  const save = (event: Event) => {
    event.preventDefault();
    const given = (name ?? '').trim();
    if (given === '') return;
    keep([...views.filter((view) => view.name !== given), { name: given, search }]);
    setName(null);
  };
  const mayBeSaved =
    (isNarrowed(filters) || filters.time !== undefined || filters.from !== undefined) &&
    !views.some((view) => view.search === search);
  if (views.length === 0 && !mayBeSaved) return null;
  return (
    <div class="views row small-text">
      {views.length > 0 && <span class="quiet">Views</span>}
      {views.map((view) => (
        <span key={view.name} class={`filter-chip${view.search === search ? ' is-current' : ''}`}>
          <a href={`#/decisions?${view.search}`} aria-current={view.search === search ? 'true' : undefined}>
            <RevealedText text={view.name} />
          </a>
          <button
            type="button"
            aria-label={`Remove the view ${view.name}`}
            onClick={() => keep(views.filter((each) => each !== view))}
          >
            ×
          </button>
        </span>
      ))}
      {mayBeSaved &&
        (name === null ? (
          <button type="button" class="small" onClick={() => setName('')}>
            Save this view
          </button>
        ) : (
          <form class="row" onSubmit={save}>
            <TextField
              kind="view-name"
              label="Name of the view"
              isLabelHidden
              value={name}
              maxLength={NAME_MAX}
              placeholder="Name of the view"
              onInput={setName}
            />
            <button type="submit" class="small">
              Save
            </button>
            <button type="button" class="small" onClick={() => setName(null)}>
              Cancel
            </button>
          </form>
        ))}
    </div>
  );
}

interface SavedView {
  readonly name: string;
  /** The part of the address after `?`. */
  readonly search: string;
}

const STORED_AS = 'writecheck.views.';

function readViews(workspace: string): readonly SavedView[] {
  try {
    const value: unknown = JSON.parse(keptForever.get(`${STORED_AS}${workspace}`) ?? '[]');
    return Array.isArray(value) ? value.filter(isView) : [];
  } catch {
    return [];
  }
}

function writeViews(workspace: string, views: readonly SavedView[]): void {
  keptForever.set(`${STORED_AS}${workspace}`, JSON.stringify(views));
}

function isView(value: unknown): value is SavedView {
  const view = value as SavedView | null;
  return typeof view?.name === 'string' && typeof view.search === 'string';
}
