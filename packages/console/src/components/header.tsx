/** The frame's navigation: by job, beside the page or behind a menu button on small screens. */

import { useEffect, useState } from 'preact/hooks';
import { countInWords, useOpenReviews } from '../open-reviews.ts';
import { NAVIGATION, navigationFor } from '../pages/registry.ts';
import { href, matchPath } from '../state/route.ts';
import { signOut, useSession } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { setTheme, theme } from '../state/theme.ts';
import { Choice } from './field.tsx';
import { FreezeButton } from './freeze/freeze-place.tsx';
import { PaletteButton } from './palette-place.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { RevealedText } from './text.tsx';
import { WorkspaceName } from './workspace-name.tsx';

export function Header({ path }: { readonly path: string }) {
  const signedIn = useSession();
  if (signedIn === null)
    return (
      <header class="top">
        <Brand />
        <span class="spring" />
        {path !== '/sign-in' && <a href={href('/sign-in')}>Sign in</a>}
        <ThemeChoice />
      </header>
    );
  return <SideFrame path={path} />;
}

function SideFrame({ path }: { readonly path: string }) {
  const signedIn = useSession();
  const open = countInWords(useOpenReviews());
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => setIsOpen(false), [path]);
  useEffect(() => {
    const close = (event: KeyboardEvent) => event.key === 'Escape' && setIsOpen(false);
    window.addEventListener('keydown', close);
    return () => window.removeEventListener('keydown', close);
  }, []);
  const here = sectionOf(path);
  return (
    <header class={`side-frame${isOpen ? ' is-open' : ''}`}>
      <div class="top">
        <Brand />
        <span class="spring" />
        {open !== null && (
          <a class="in-phone" href={href('/reviews')}>
            Inbox <span class="count">{open}</span>
          </a>
        )}
        <FreezeButton isBrief />
        <button
          type="button"
          class="menu-button"
          aria-expanded={isOpen}
          aria-controls="pages"
          onClick={() => setIsOpen(!isOpen)}
        >
          <MenuGlyph /> Menu
        </button>
      </div>
      <PaletteButton />
      <nav id="pages" class="side" aria-label="Pages">
        {navigationFor(signedIn?.person).map(({ title, pages }) => (
          <div key={title} class="side-group">
            <p class="side-title">{title}</p>
            <ul>
              {pages.map((page) => (
                <li key={page.path}>
                  <a href={href(page.path)} aria-current={page.path === here ? 'page' : undefined}>
                    {page.nav}
                    {page.path === '/reviews' && open !== null && (
                      <span class="count">
                        {open}
                        <span class="hidden"> open</span>
                      </span>
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div class="who">
        <FreezeButton />
        <WorkspaceName />
        <span class="quiet small-text" title={signedIn?.person?.roles.join(', ')}>
          <RevealedText text={signedIn?.person?.name ?? 'Owner key'} />
        </span>
        <div class="who-row">
          <button type="button" class="small" onClick={() => signOut('asked')}>
            Sign out
          </button>
          <span class="spring" />
          <Shortcuts />
          <ThemeChoice />
        </div>
      </div>
    </header>
  );
}

const NAMES = [
  ['system', 'Auto'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

function ThemeChoice() {
  const chosen = useStore(theme);
  return (
    <Choice kind="theme" label="Theme" isLabelHidden value={chosen} options={NAMES} onChange={setTheme} />
  );
}

/** The entry of the navigation that the address belongs to: `/decisions/dec_1` is within `/decisions`. */
function sectionOf(path: string): string | null {
  const entries = NAVIGATION.flatMap(({ paths }) => paths);
  const exact = entries.find((each) => matchPath(each, path) !== null);
  return exact ?? entries.find((each) => each !== '/' && path.startsWith(`${each}/`)) ?? null;
}

function Brand() {
  return (
    <a class="brand" href={href('/')}>
      <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
        <rect width="32" height="32" rx="7" class="mark" />
        <path d="M7 16.5l5 5L25 9" class="tick" />
      </svg>{' '}
      Writecheck
    </a>
  );
}

function MenuGlyph() {
  return (
    <svg class="glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />
    </svg>
  );
}
