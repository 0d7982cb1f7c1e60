/** What was found in the edited bundle, beside the editor: errors, changes against the live one, warnings. */

import { Section } from '../../components/page.tsx';
import type { Examined } from '../../components/policy/examine-policies.ts';
import { Told } from '../../components/text.tsx';
import { BundleChanges } from './bundle-changes.tsx';
import { inSentences } from './in-sentences.ts';
import { Examples } from './loosening-dialog.tsx';

type Valid = Extract<Examined, { readonly kind: 'valid' }>;

export function Faults({
  faults,
  onGo,
}: {
  readonly faults: Extract<Examined, { readonly kind: 'invalid' }>['faults'];
  readonly onGo: (line: number) => void;
}) {
  return (
    <Section title="Errors">
      <Placed items={faults} onGo={onGo} />
    </Section>
  );
}

export function Changes({
  examined: { changes, examples },
  revision,
}: {
  readonly examined: Valid;
  /** The live one. */
  readonly revision: number;
}) {
  if (changes.length === 0) return null;
  return (
    <Section title={`Changes since revision ${revision}`}>
      <BundleChanges changes={changes} />
      {examples.length > 0 && (
        <div class="loosened">
          <h3>Would be decided less strictly</h3>
          <Examples examples={examples} />
        </div>
      )}
    </Section>
  );
}

/** Those that were there before the edit are folded: the live bundle has them too. */
export function Warnings({
  warnings,
  onGo,
}: {
  readonly warnings: Valid['warnings'];
  readonly onGo: (line: number) => void;
}) {
  if (warnings.length === 0) return null;
  const told = warnings.map((warning) => ({ ...warning, message: inSentences(warning.message) }));
  const fresh = told.filter(({ isNew }) => isNew);
  const old = told.filter(({ isNew }) => !isNew);
  return (
    <Section title="Warnings">
      {fresh.length > 0 && <Placed items={fresh} onGo={onGo} />}
      {old.length > 0 && (
        <details>
          <summary>
            {old.length === 1 ? '1 also in the live policy' : `${old.length} also in the live policy`}
          </summary>
          <Placed items={old} onGo={onGo} />
        </details>
      )}
    </Section>
  );
}

const PLACED_MAX = 50;

function Placed({
  items,
  onGo,
}: {
  readonly items: readonly { readonly line: number; readonly message: string }[];
  readonly onGo: (line: number) => void;
}) {
  return (
    <ul class="brief placed">
      {[...Map.groupBy(items.slice(0, PLACED_MAX), ({ message }) => message)].map(([message, same]) => (
        <li key={message}>
          <span class="placed-lines">
            {same.map(({ line }) => (
              <button key={line} type="button" class="plain small" onClick={() => onGo(line)}>
                Line {line}
              </button>
            ))}
          </span>{' '}
          <Told text={message} />
        </li>
      ))}
      {items.length > PLACED_MAX && <li class="quiet">and {items.length - PLACED_MAX} more</li>}
    </ul>
  );
}
