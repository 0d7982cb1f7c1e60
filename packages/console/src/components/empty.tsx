/** In the place of a list that has nothing to show: what is missing, and what to do. */
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
