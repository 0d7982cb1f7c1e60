/** Changes from the live bundle, document by document; loosening ones first, in red. */
import type { DocumentChange } from '../../components/policy/examine-policies.ts';
import { shortened } from '../../components/policy/line-difference.ts';
import { Told } from '../../components/text.tsx';

const SHOWN_MAX = 40;

export function BundleChanges({ changes }: { readonly changes: readonly DocumentChange[] }) {
  return (
    <div class="stack far">
      {changes.slice(0, SHOWN_MAX).map((change) => (
        <Change key={`${change.kind} ${change.id}`} change={change} />
      ))}
      {changes.length > SHOWN_MAX && (
        <p class="quiet">and {changes.length - SHOWN_MAX} more changed documents</p>
      )}
    </div>
  );
}

const WORDS = { new: 'new', gone: 'removed', changed: 'changed' } as const;
const FINDINGS = {
  loosens: { word: 'Loosens', colour: 'block' },
  unclear: { word: 'Unclear', colour: 'pause' },
  tightens: { word: 'Tightens', colour: 'over' },
} as const;
const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

function indentOf(text: string) {
  return text.length - text.trimStart().length;
}

function Change({ change }: { readonly change: DocumentChange }) {
  const { kind, id, findings, lines } = change;
  return (
    <article class="stack near change">
      <h3>
        <span class="quiet">{kind}</span> {id} <span class="quiet small-text">{WORDS[change.change]}</span>
      </h3>
      {findings.length > 0 && (
        <ul class="brief findings">
          {findings.map((finding) => (
            <li
              key={`${finding.kind} ${finding.pointer} ${finding.message}`}
              class={FINDINGS[finding.kind].colour}
            >
              <strong>{FINDINGS[finding.kind].word}</strong> <Told text={finding.message} />
            </li>
          ))}
        </ul>
      )}
      {lines.some((line) => line.kind !== 'same') && (
        <section class="diff" aria-label={`Changed lines of ${kind} ${id}`}>
          <pre>
            {shortened(lines).map((line, at) =>
              line === null ? (
                <span key={at} class="d-gap">
                  {'  ⋯\n'}
                </span>
              ) : (
                <span
                  key={`${line.kind} ${line.number}`}
                  class={`d-${line.kind}${line.loose === null ? '' : ` d-${line.loose}`}`}
                >
                  {`${SIGNS[line.kind]} ${line.text.slice(0, indentOf(line.text))}`}
                  <span>{line.text.slice(indentOf(line.text))}</span>
                  {'\n'}
                </span>
              ),
            )}
          </pre>
        </section>
      )}
    </article>
  );
}
