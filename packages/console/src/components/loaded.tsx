/** What a page shows of a load: grey lines or the failure while there is no value, then the value. */
import type { ComponentChildren } from 'preact';
import type { Load } from '../use-load.ts';
import { ErrorNote } from './error-note.tsx';
import { Skeleton } from './skeleton.tsx';

type Shown<T> = Pick<Load<T>, 'value' | 'failure' | 'reload'>;

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
  const { value, failure, reload } = load;
  if (value === null) return <Unloaded load={load} lines={lines} />;
  return (
    <>
      <ErrorNote failure={failure} onRetry={reload} isOld />
      {children(value)}
    </>
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
