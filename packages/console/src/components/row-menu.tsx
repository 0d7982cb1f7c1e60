/** The actions of a row behind one button, so that a table is not a wall of buttons. */
import { useEffect, useRef } from 'preact/hooks';

export interface RowAction {
  readonly label: string;
  readonly isDangerous?: boolean;
  readonly onChoose: () => void;
}

export function RowMenu({ of, actions }: { readonly of: string; readonly actions: readonly RowAction[] }) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const own = menu.current;
      if (own === null || !own.open) return;
      if (event instanceof KeyboardEvent ? event.key !== 'Escape' : own.contains(event.target as Node))
        return;
      own.open = false;
      if (event instanceof KeyboardEvent) own.querySelector('summary')?.focus();
    };
    for (const event of ['click', 'keydown', 'focusin']) document.addEventListener(event, close);
    return () => {
      for (const event of ['click', 'keydown', 'focusin']) document.removeEventListener(event, close);
    };
  }, []);
  if (actions.length === 0) return null;
  return (
    <details ref={menu} class="row-menu">
      <summary class="button" aria-label={`Actions for ${of}`} title="Actions">
        <svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
          <circle cx="3" cy="8" r="1.4" />
          <circle cx="8" cy="8" r="1.4" />
          <circle cx="13" cy="8" r="1.4" />
        </svg>
      </summary>
      <div>
        {actions.map(({ label, isDangerous, onChoose }) => (
          <button
            key={label}
            type="button"
            class={isDangerous ? 'danger-text' : ''}
            onClick={() => {
              menu.current!.open = false;
              onChoose();
            }}
          >
            {label}
          </button>
        ))}
      </div>
    </details>
  );
}
