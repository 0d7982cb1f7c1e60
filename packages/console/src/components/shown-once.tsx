/** A secret that the service shows once: it stays on the page until the user says that it is saved. */
import type { ComponentChildren } from 'preact';
import { CopyButton } from './copy-button.tsx';
import { Section } from './page.tsx';

export function ShownOnce(shown: {
  readonly title: ComponentChildren;
  readonly secret: string;
  /** What the copy button copies. */
  readonly what: string;
  readonly done?: string;
  readonly onDone: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <Section kind="card once" title={shown.title}>
      <p role="status">{shown.children}</p>
      <p class="secret">
        <code>{shown.secret}</code> <CopyButton text={shown.secret} what={shown.what} />
      </p>
      <div class="row">
        <button type="button" onClick={shown.onDone}>
          {shown.done ?? 'I’ve saved it'}
        </button>
      </div>
    </Section>
  );
}
