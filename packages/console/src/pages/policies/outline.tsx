/** The documents of the bundle by kind; choosing one goes to its line. */
import type { OutlineEntry } from '../../components/policy/examine-policies.ts';
import { RevealedText } from '../../components/text.tsx';

const KINDS: readonly (readonly [string, string])[] = [
  ['Profile', 'Profiles'],
  ['ControlPack', 'Control packs'],
  ['Workflow', 'Workflows'],
  ['Limit', 'Limits'],
  ['Defaults', 'Defaults'],
  ['EvidenceSource', 'Evidence sources'],
  ['PolicyTest', 'Tests'],
];
const SHOWN_MAX = 100;

export function Outline({
  entries,
  onGo,
}: {
  readonly entries: readonly OutlineEntry[];
  readonly onGo: (line: number) => void;
}) {
  // Above the text, on a narrow page, it would push the text away.
  const hasRoom = window.matchMedia('(min-width: 1180px)').matches;
  return (
    <nav class="outline" aria-label="Documents">
      {KINDS.map(([kind, label]) => {
        const own = entries.filter((entry) => entry.kind === kind);
        if (own.length === 0) return null;
        return (
          <details key={kind} open={kind !== 'PolicyTest' && hasRoom}>
            <summary>
              {label} <span class="quiet">{own.length}</span>
            </summary>
            <ul>
              {own.slice(0, SHOWN_MAX).map(({ id, line }) => (
                <li key={`${id} ${line}`}>
                  <button type="button" onClick={() => onGo(line)}>
                    <RevealedText text={id === '' ? 'defaults' : id} />
                  </button>
                </li>
              ))}
              {own.length > SHOWN_MAX && <li class="quiet small-text">and {own.length - SHOWN_MAX} more</li>}
            </ul>
          </details>
        );
      })}
    </nav>
  );
}
