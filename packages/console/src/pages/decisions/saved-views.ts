/** Named filters, kept in this browser for each workspace. */
import { keptForever } from '../../state/kept.ts';

export interface SavedView {
  readonly name: string;
  /** The part of the address after `?`. */
  readonly search: string;
}

const STORED_AS = 'writecheck.views.';

export function readViews(workspace: string): readonly SavedView[] {
  try {
    const value: unknown = JSON.parse(keptForever.get(`${STORED_AS}${workspace}`) ?? '[]');
    return Array.isArray(value) ? value.filter(isView) : [];
  } catch {
    return [];
  }
}

export function writeViews(workspace: string, views: readonly SavedView[]): void {
  keptForever.set(`${STORED_AS}${workspace}`, JSON.stringify(views));
}

function isView(value: unknown): value is SavedView {
  const view = value as SavedView | null;
  return typeof view?.name === 'string' && typeof view.search === 'string';
}
