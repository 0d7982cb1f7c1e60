/** A decision as a picture: the gates from left to right, each control with its evidence, and the outcome. */
import { type Decision, REASON_CATALOGUE } from '@writecheck/contract';
import type { ComponentChildren } from 'preact';
import { DecisionBadge, DecisionGlyph } from '../components/decision-badge.tsx';
import { Told } from '../components/told.tsx';
import { ControlCard } from './control-card.tsx';
import { inWords } from './durations.ts';
import type { ControlView, GateState, GateView, Picture } from './picture.ts';

interface PictureProps {
  readonly picture: Picture;
  /** Set if the page can add evidence; each unmet control then gets a button. */
  readonly supply?: (control: ControlView) => void;
}

export function DecisionPicture({ picture, supply }: PictureProps) {
  const { decided, gates, controls } = picture;
  return (
    <figure class="picture" aria-label="The decision, gate by gate">
      <ol class="gates">
        {gates.map((gate) => (
          <Gate key={gate.gate} gate={gate} />
        ))}
        <li class="gate controls">
          <p class="gate-name">Controls</p>
          {controls.length === 0 ? (
            <p class="quiet">none required</p>
          ) : (
            <ul>
              {controls.map((control) => (
                <ControlCard key={control.evaluation.controlId} control={control} supply={supply} />
              ))}
            </ul>
          )}
        </li>
        <li class={`gate outcome ${decided.decision}`}>
          <p class="gate-name">Decision</p>
          <DecisionBadge decision={decided.decision} large />
          <code class="reason-code">{breakable(decided.reasonCode)}</code>
          <p class="small-text">{forTheCaller(decided.decision, decided.validUntilMs, decided.atMs)}</p>
          {decided.evaluatedDecision !== decided.decision && (
            <p class="small-text">
              If every policy were enforced: <strong>{decided.evaluatedDecision}</strong>.
            </p>
          )}
        </li>
      </ol>
      <figcaption>
        <p>
          <Told text={decided.reason} />
        </p>
        {decided.reasonCode !== 'requirements_met' && (
          <p class="quiet">
            What to do: <Told text={REASON_CATALOGUE[decided.reasonCode]?.action ?? ''} />.
          </p>
        )}
        {decided.warnings.map((warning) => (
          <p key={warning} class="quiet">
            Warning: <Told text={warning} />
          </p>
        ))}
      </figcaption>
    </figure>
  );
}

const GATE_NAMES = { policy: 'Policy', workflow: 'Workflow', authority: 'Authority' } as const;
const STATES: { readonly [state in GateState]: { readonly word: string; readonly glyph: Decision | null } } =
  {
    passes: { word: 'passes', glyph: 'allow' },
    not_asked: { word: 'not required', glyph: null },
    pause: { word: 'pauses', glyph: 'pause' },
    block: { word: 'blocks', glyph: 'block' },
  };

function Gate({ gate }: { readonly gate: GateView }) {
  const { word, glyph } = STATES[gate.state];
  return (
    <li class={`gate ${glyph ?? 'idle'}`}>
      <p class="gate-name">{GATE_NAMES[gate.gate]}</p>
      <p class="state">
        {glyph !== null && <DecisionGlyph decision={glyph} />} {word}
      </p>
      <p class="small-text">
        <Told text={gate.says} />
      </p>
      {gate.needs.map((need) => (
        <p key={need} class="need">
          <Told text={need} />
        </p>
      ))}
    </li>
  );
}

/** Lets a long code wrap after its underscores. */
function breakable(code: string): ComponentChildren {
  return code.split(/(?<=_)/).flatMap((part, at) => (at === 0 ? [part] : [<wbr key={part} />, part]));
}

function forTheCaller(decision: Decision, validUntilMs: number | null, atMs: number): string {
  switch (decision) {
    case 'allow':
      return validUntilMs === null
        ? 'The agent may write.'
        : `The agent may write for ${inWords(validUntilMs - atMs)}.`;
    case 'pause':
      return 'Needs review before the agent may write.';
    case 'block':
      return 'The agent must not retry unchanged.';
  }
}
