/** The head of a page: its title, what the page is for, and at the right what one can do. */
import type { ComponentChildren } from 'preact';

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
