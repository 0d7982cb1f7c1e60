/** The parts that every page is made of: its head, its sections, and what stands there while nothing is loaded or listed. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Load } from '../use-load.ts';
import { ErrorNote } from './error-note.tsx';

/** The head of a page: its title, what the page is for, and at the right what one can do. */
export function PageHead({
  title,
  lead,
  children,
}: {
  readonly title: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="row title-row">
      <div class="lead">
        <h1>{title}</h1>
        {lead !== undefined && <p class="quiet">{lead}</p>}
      </div>
      {children}
    </div>
  );
}

/** A part of a page, named by its heading. */
export function Section({
  title,
  kind = 'card',
  place,
  children,
}: {
  readonly title: ComponentChildren;
  readonly kind?: string;
  /** Its id, for a page that scrolls to it. */
  readonly place?: string;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section id={place} class={kind} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** Replaces an empty list: says what is missing, and what to do. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      <p class="quiet">{children}</p>
    </div>
  );
}

const LINES_DEFAULT = 4;

/** Grey lines in the place of content that is still loading. */
export function Skeleton({ lines = LINES_DEFAULT }: { readonly lines?: number | undefined }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading …</span>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} class="bone" aria-hidden="true" />
      ))}
    </div>
  );
}

type Shown<T> = Omit<Load<T>, 'isLoading'>;

/** A reload that failed is shown above the value that is still there. */
export function Loaded<T>({
  load,
  lines,
  children,
}: {
  readonly load: Shown<T>;
  readonly lines?: number | undefined;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { value, failure, readAt, reload } = load;
  if (value === null) return <Unloaded load={load} lines={lines} />;
  return (
    <>
      <ErrorNote failure={failure} onRetry={reload} readAt={readAt} />
      {children(value)}
    </>
  );
}

/** The page of one thing: the way back, then the thing, or why it is not there. */
export function DetailPage<T>({
  load: { value, failure, readAt, reload },
  what,
  back,
  missing,
  children,
}: {
  readonly load: Shown<T>;
  /** Such as "Review". */
  readonly what: string;
  /** Stands above the thing even if it fails to load. */
  readonly back: ComponentChildren;
  /** A link for somebody who opened a thing that does not exist. */
  readonly missing: ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}) {
  const isMissing = failure?.code === 'not_found';
  return (
    <div class="page">
      {back}
      {value === null && failure !== null && <h1>{isMissing ? 'Not found' : what}</h1>}
      {isMissing ? (
        <div class="note" role="alert">
          <p>There is no such {what.toLowerCase()} in this workspace. It may belong to another one.</p>
          {missing}
        </div>
      ) : (
        <ErrorNote failure={failure} onRetry={reload} readAt={readAt} />
      )}
      {value === null ? failure === null && <Skeleton lines={12} /> : children(value)}
    </div>
  );
}

/** For what has no value yet. */
export function Unloaded({
  load: { failure, reload },
  lines,
}: {
  readonly load: Pick<Shown<unknown>, 'failure' | 'reload'>;
  readonly lines?: number | undefined;
}) {
  if (failure !== null) return <ErrorNote failure={failure} onRetry={reload} />;
  return <Skeleton lines={lines} />;
}
