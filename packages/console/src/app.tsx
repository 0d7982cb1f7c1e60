/** The frame around every page: picks the page, asks for sign-in, and shows header and banner. */
import { Component as Boundary, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AwayBanner } from './components/away-banner.tsx';
import { FreezeBanner, FreezePlace } from './components/freeze/freeze-place.tsx';
import { Header } from './components/header.tsx';
import { Skeleton } from './components/page.tsx';
import { PalettePlace } from './components/palette-place.tsx';
import { countInWords, useCountingReviews, useOpenReviews } from './open-reviews.ts';
import type { Page, PageProps } from './pages/page.ts';
import { mayOpen, PAGES } from './pages/registry.ts';
import { isAway, noteAway, returns } from './state/connection.ts';
import { endWalkAt } from './state/inbox-order.ts';
import { keptForTab } from './state/kept.ts';
import { matchPath, usePlace } from './state/route.ts';
import { noteDoubt, type Person, useSession } from './state/session.ts';
import { useStore } from './state/store.ts';

export function App() {
  const { path } = usePlace();
  const session = useSession();
  const found = findPage(path);
  // Sign-in keeps the address, so the user lands on the page they came for.
  const needsSignIn = found !== null && found.page.access === 'signed_in' && session === null;
  const page = needsSignIn ? findPage('/sign-in')! : found;
  useFocusOnArrival(`${path} ${page?.page.path}`);
  useCountingReviews();
  useEffect(() => endWalkAt(path), [path]);
  const open = countInWords(useOpenReviews());
  useEffect(() => {
    const count = open === null ? '' : `(${open}) `;
    document.title = `${count}${page?.page.title ?? 'Not found'} · Writecheck`;
  }, [page?.page.title, open]);
  return (
    <div class={session === null ? '' : 'framed'}>
      <button type="button" class="skip" onClick={skipToMain}>
        Skip to content
      </button>
      <div class="banner-place">
        <AwayBanner />
        {session !== null && <FreezeBanner />}
      </div>
      {session !== null && <PrintHead />}
      <Header path={path} />
      {session !== null && <PalettePlace />}
      {session !== null && <FreezePlace />}
      <main id="main" tabIndex={-1}>
        {page === null ? (
          <NotFound path={path} />
        ) : !mayOpen(page.page, session?.person) ? (
          <NoRight title={page.page.title} person={session?.person} />
        ) : (
          <Mishap key={`${path} ${page.page.path}`}>
            <Loaded key={page.page.path} {...page} />
          </Mishap>
        )}
      </main>
    </div>
  );
}

/** The first line on paper: what was printed, when, by whom and from where. */
function PrintHead() {
  const line = useRef<HTMLParagraphElement>(null);
  const session = useSession();
  useEffect(() => {
    const write = () => {
      const at = new Date().toISOString().replace('T', ' ').slice(0, 16);
      const by = session?.person?.name ?? 'an owner key';
      line.current!.textContent = `${session?.workspace.name} · printed ${at} UTC by ${by} · ${window.location.href}`;
    };
    window.addEventListener('beforeprint', write);
    return () => window.removeEventListener('beforeprint', write);
  }, [session]);
  return <p ref={line} class="print-only" />;
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

/** Reloads the page, once only, and never if unsaved input would be lost. */
function startOver(): void {
  if (keptForTab.get(STARTED_OVER) !== null) return;
  if (!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))) return;
  // Without storage, the page would reload forever.
  if (keptForTab.set(STARTED_OVER, 'yes') === 'kept') window.location.reload();
}

function Loaded({ page, params }: Found) {
  const [Component, setComponent] = useState<ComponentType<PageProps> | null>(
    () => loaded.get(page.path) ?? null,
  );
  const [failures, setFailures] = useState(0);
  const timesBack = useStore(returns);
  useEffect(() => {
    const already = loaded.get(page.path);
    // It may have loaded between render and effect.
    if (already !== undefined) return setComponent(() => already);
    page.load().then(
      (module) => {
        keptForTab.set(STARTED_OVER, null);
        loaded.set(page.path, module.default);
        setComponent(() => module.default);
      },
      () => setFailures((count) => count + 1),
    );
  }, [page, timesBack]);
  // `noteAway` polls until the service is back, which loads the page again. A browser may cache the failed import, hence the reload.
  useEffect(() => {
    if (failures === 1) noteAway();
    if (failures === 2) startOver();
  }, [failures]);
  if (Component === null && failures > 0)
    return (
      <NeedsReload
        what="This page could not be loaded."
        inOutage="This page opens once the service responds."
      />
    );
  if (Component === null) return <Skeleton lines={8} />;
  return <Component params={params} />;
}

/** Catches a page that throws, so that it is not mistaken for an empty one. */
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
      <NeedsReload
        what="This page failed."
        inOutage="This page failed. Reload it once the service responds."
      />
    );
  }
}

/** INVARIANT: offers no reload in an outage, which would leave nothing but the browser's error page. */
function NeedsReload({ what, inOutage }: { readonly what: string; readonly inOutage: string }) {
  if (useStore(isAway)) return <p class="quiet">{inOutage}</p>;
  return (
    <div class="note note-bad" role="alert">
      <p>
        <strong>{what}</strong> The service may have been updated. Reload to get the matching version.
      </p>
      <button type="button" onClick={() => window.location.reload()}>
        Reload
      </button>
    </div>
  );
}

function NotFound({ path }: { readonly path: string }) {
  return (
    <div class="page">
      <h1>Page not found</h1>
      <p>
        There is no page at <code>{path}</code>. <a href="#/">Go to the start</a>.
      </p>
    </div>
  );
}

function NoRight({ title, person }: { readonly title: string; readonly person: Person | undefined }) {
  useEffect(noteDoubt, []);
  return (
    <div class="page">
      <h1>{title}</h1>
      <p>
        Your roles ({person?.roles.join(', ')}) don’t include this page. Ask an owner of the workspace, or{' '}
        <a href="#/reviews">go to the inbox</a>.
      </p>
    </div>
  );
}

/** Not a link, because the address after `#` selects the page. */
function skipToMain(): void {
  document.getElementById('main')?.focus();
}

/** Moves focus and scroll to the top of a new page, for screen readers too. */
function useFocusOnArrival(arrival: string): void {
  const before = useRef(arrival);
  useEffect(() => {
    if (before.current === arrival) return;
    before.current = arrival;
    document.getElementById('main')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [arrival]);
}
