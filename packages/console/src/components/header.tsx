/** Brand, navigation, theme, and the signed-in workspace. */
import { countInWords, useOpenReviews } from '../open-reviews.ts';
import { PAGES } from '../pages/registry.ts';
import { href, matchPath } from '../state/route.ts';
import { signOut, useSession } from '../state/session.ts';
import { setTheme, THEMES, useTheme } from '../state/theme.ts';
import { RevealedText } from './revealed-text.tsx';

export function Header({ path }: { readonly path: string }) {
  const session = useSession();
  const theme = useTheme();
  const open = countInWords(useOpenReviews());
  const shown = PAGES.filter(({ nav, access }) => nav !== null && (access === 'anyone' || session !== null));
  return (
    <header class="top">
      <a class="brand" href={href('/')}>
        <Mark /> Writecheck
      </a>
      <nav aria-label="Pages">
        <ul>
          {shown.map((page) => (
            <li key={page.path}>
              <a href={href(page.path)} aria-current={isWithin(page.path, path) ? 'page' : undefined}>
                {page.nav}
                {page.path === '/reviews' && open !== null && (
                  <>
                    {' '}
                    <span class="count">
                      {open}
                      <span class="hidden"> open</span>
                    </span>
                  </>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="who">
        {session === null ? (
          <a href={href('/sign-in')} aria-current={path === '/sign-in' ? 'page' : undefined}>
            Sign in
          </a>
        ) : (
          <>
            <span class="workspace" title={session.workspace.id}>
              <RevealedText text={session.workspace.name} />
            </span>
            <button type="button" class="plain" onClick={() => signOut('asked')}>
              Sign out
            </button>
          </>
        )}
        <label class="theme">
          <span class="hidden">Theme</span>
          <select
            value={theme}
            onChange={(event) =>
              setTheme(THEMES.find((each) => each === event.currentTarget.value) ?? 'system')
            }
          >
            <option value="system">Auto</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
      </div>
    </header>
  );
}

/** `/decisions/dec_1` is within `/decisions`; nothing is within the start page. */
function isWithin(page: string, path: string): boolean {
  return matchPath(page, path) !== null || (page !== '/' && path.startsWith(`${page}/`));
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
      <rect width="32" height="32" rx="7" class="mark" />
      <path d="M7 16.5l5 5L25 9" class="tick" />
    </svg>
  );
}
