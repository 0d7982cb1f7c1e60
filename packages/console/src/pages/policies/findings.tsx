/** What was found in the edited bundle: errors, changes against the live one, warnings. */
import type { Examined } from '../../components/policy/examine-policies.ts';
import { Told } from '../../components/told.tsx';
import { BundleChanges } from './bundle-changes.tsx';
import { Examples } from './loosening-dialog.tsx';

export function Findings({
  examined,
  isRunning,
  revision,
  onGo,
}: {
  readonly examined: Examined;
  readonly isRunning: boolean;
  /** The live one; 0 if there is none. */
  readonly revision: number;
  readonly onGo: (line: number) => void;
}) {
  if (examined.kind === 'invalid')
    return (
      <section class="card" aria-labelledby="faults">
        <h2 id="faults">Errors</h2>
        <Placed items={examined.faults} onGo={onGo} />
      </section>
    );
  const { changes, examples, warnings } = examined;
  return (
    <>
      {!isRunning && changes.length > 0 && (
        <section class="card" aria-labelledby="changes">
          <h2 id="changes">{revision === 0 ? 'New rules' : `Changes since revision ${revision}`}</h2>
          {revision > 0 && examples.length > 0 && (
            <div class="loosened">
              <h3>Would be decided less strictly</h3>
              <Examples examples={examples} />
            </div>
          )}
          <BundleChanges changes={changes} />
        </section>
      )}
      {warnings.length > 0 && (
        <section class="card" aria-labelledby="warnings">
          <h2 id="warnings">Warnings</h2>
          <Placed items={warnings} onGo={onGo} />
        </section>
      )}
    </>
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
    <ul class="placed">
      {[...Map.groupBy(items.slice(0, PLACED_MAX), ({ message }) => message)].map(([message, same]) => (
        <li key={message}>
          <span>
            {same.map(({ line }) => (
              <button key={line} type="button" class="small" onClick={() => onGo(line)}>
                line {line}
              </button>
            ))}
          </span>{' '}
          <span>
            <Told text={message} />
          </span>
        </li>
      ))}
      {items.length > PLACED_MAX && <li class="quiet">and {items.length - PLACED_MAX} more</li>}
    </ul>
  );
}
