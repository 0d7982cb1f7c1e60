/** The frame around every page: which page it is, who may see it, and what stands around it. */
import { Component as Boundary, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AwayBanner } from './components/away-banner.tsx';
import { Header } from './components/header.tsx';
import type { Page, PageProps } from './pages/page.ts';
import { PAGES } from './pages/registry.ts';
import { noteAway, useReturns } from './state/connection.ts';
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
        {page === null ? (
          <NotFound path={path} />
        ) : (
          <Mishap key={`${path} ${page.page.path}`}>
            <Loaded key={page.page.path} {...page} />
          </Mishap>
        )}
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
const STARTED_OVER = 'writecheck.started-over';

/** Loads the whole page anew: once, since what fails again then is really gone, and not where something would be lost. */
function startOver(): void {
  if (sessionStorage.getItem(STARTED_OVER) !== null) return;
  if (!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))) return;
  sessionStorage.setItem(STARTED_OVER, 'yes');
  window.location.reload();
}

function Loaded({ page, params }: Found) {
  const [Component, setComponent] = useState<ComponentType<PageProps> | null>(
    () => loaded.get(page.path) ?? null,
  );
  const [failures, setFailures] = useState(0);
  const timesBack = useReturns();
  useEffect(() => {
    const already = loaded.get(page.path);
    // It may have come between the drawing and this.
    if (already !== undefined) return setComponent(() => already);
    page.load().then(
      (module) => {
        sessionStorage.removeItem(STARTED_OVER);
        loaded.set(page.path, module.default);
        setComponent(() => module.default);
      },
      () => setFailures((count) => count + 1),
    );
  }, [page, timesBack]);
  // Somebody asks until the service is back, and then it is loaded again; a browser may remember that it failed, though.
  useEffect(() => {
    if (failures === 1) noteAway();
    if (failures === 2) startOver();
  }, [failures]);
  if (Component === null && failures > 0) {
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

/** A page that breaks, on an answer it does not understand, say, breaks alone, and is not mistaken for one with nothing on it. */
class Mishap extends Boundary<{ readonly children: ComponentChildren }, { readonly hasBroken: boolean }> {
  override state = { hasBroken: false };

  static override getDerivedStateFromError() {
    return { hasBroken: true };
  }

  override componentDidCatch(error: unknown) {
    console.error(error);
  }

  override render() {
    if (!this.state.hasBroken) return this.props.children;
    return (
      <div class="note note-bad" role="alert">
        <p>
          <strong>This page broke.</strong> It may not fit the service that answered, which may have been
          updated meanwhile.
        </p>
        <button type="button" onClick={() => window.location.reload()}>
          Load again
        </button>
      </div>
    );
  }
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
