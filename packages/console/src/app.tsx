/** The frame around every page: which page it is, who may see it, and what stands around it. */
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AwayBanner } from './components/away-banner.tsx';
import { Header } from './components/header.tsx';
import type { Page, PageProps } from './pages/page.ts';
import { PAGES } from './pages/registry.ts';
import { matchPath, usePlace } from './state/route.ts';
import { useSession } from './state/session.ts';

export function App() {
  const { path } = usePlace();
  const session = useSession();
  const found = findPage(path);
  // Somebody who has to sign in first does so at the address they came for.
  const needsSignIn = found !== null && found.page.access === 'owner' && session === null;
  const page = needsSignIn ? findPage('/sign-in')! : found;
  useFocusOnArrival(`${path} ${page?.page.path}`);
  useEffect(() => {
    document.title = `${page?.page.title ?? 'Not found'} · Writecheck`;
  }, [page?.page.title]);
  return (
    <>
      <button type="button" class="skip" onClick={skipToMain}>
        Skip to the content
      </button>
      <Header path={path} />
      <AwayBanner />
      <main id="main" tabIndex={-1}>
        {page === null ? <NotFound path={path} /> : <Loaded key={page.page.path} {...page} />}
      </main>
    </>
  );
}

interface Found {
  readonly page: Page;
  readonly params: PageProps['params'];
}

function findPage(path: string): Found | null {
  for (const page of PAGES) {
    const params = matchPath(page.path, path);
    if (params !== null) return { page, params };
  }
  return null;
}

const loaded = new Map<string, ComponentType<PageProps>>();

function Loaded({ page, params }: Found) {
  const [Component, setComponent] = useState<ComponentType<PageProps> | null>(
    () => loaded.get(page.path) ?? null,
  );
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    if (loaded.has(page.path)) return;
    page.load().then(
      (module) => {
        loaded.set(page.path, module.default);
        setComponent(() => module.default);
      },
      () => setHasFailed(true),
    );
  }, [page]);
  if (hasFailed) {
    return (
      <div class="note note-bad" role="alert">
        <p>This page could not be loaded. The service may be away, or it may have been updated meanwhile.</p>
        <button type="button" onClick={() => window.location.reload()}>
          Load again
        </button>
      </div>
    );
  }
  if (Component === null) return <p class="quiet">Loading …</p>;
  return <Component params={params} />;
}

function NotFound({ path }: { readonly path: string }) {
  return (
    <div class="page">
      <h1>Nothing here</h1>
      <p>
        There is no page at <code>{path}</code>. <a href="#/">Go to the start</a>.
      </p>
    </div>
  );
}

/** No link: the address after `#` belongs to the pages. */
function skipToMain(): void {
  document.getElementById('main')?.focus();
}

/** Whoever comes to another page, by a link or by signing in or out, is put at its top, readers of the screen included. */
function useFocusOnArrival(arrival: string): void {
  const before = useRef(arrival);
  useEffect(() => {
    if (before.current === arrival) return;
    before.current = arrival;
    document.getElementById('main')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [arrival]);
}
