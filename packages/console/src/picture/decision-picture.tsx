/** A decision as a picture: the gates from top to bottom, each control with its evidence, and the outcome. */

import { type Decision, REASON_CATALOGUE } from '@writecheck/contract';
import type { ComponentChildren } from 'preact';
import { plainReason } from '../components/decision/plain-reason.ts';
import { DecisionBadge, DecisionGlyph } from '../components/decision-badge.tsx';
import { Told } from '../components/text.tsx';
import { ControlCard } from './control-card.tsx';
import { inWords } from './durations.ts';
import type { ControlView, Decided, GateState, GateView, Picture } from './picture.ts';

interface PictureProps {
  readonly picture: Picture;
  /** Set if the page can add evidence; each unmet control then gets a button. */
  readonly supply?: (control: ControlView) => void;
  /** Whether the decision is of the past, so that ages are those of that moment. */
  readonly isRecorded?: boolean;
}

export function DecisionPicture({ picture, supply, isRecorded = false }: PictureProps) {
  const { decided, gates, controls } = picture;
  return (
    <figure class="picture" aria-label="The decision, gate by gate">
      <ol class="gates">
        {gates.map((gate) => (
          <Gate key={gate.gate} gate={gate} />
        ))}
        <li class={`gate controls ${controls.length === 0 ? 'idle' : strictest(controls)}`}>
          <p class="gate-name">Controls</p>
          {controls.length === 0 ? (
            <p class="quiet">None required</p>
          ) : (
            <ul>
              {controls.map((control) => (
                <ControlCard
                  key={control.evaluation.controlId}
                  control={control}
                  supply={supply}
                  isRecorded={isRecorded}
                  isAllowed={decided.decision === 'allow'}
                  reason={decided.reason}
                />
              ))}
            </ul>
          )}
        </li>
        <li class={`gate outcome ${decided.decision}`}>
          <p class="gate-name">Decision</p>
          <div>
            <DecisionBadge decision={decided.decision} />{' '}
            {/* A page about a decision of the past says both elsewhere. */}
            {!isRecorded && (
              <>
                <code class="reason-code">{breakable(decided.reasonCode)}</code>
                <p class="small-text">{forTheCaller(decided.decision, decided.validUntilMs, decided.atMs)}</p>
              </>
            )}
            {decided.evaluatedDecision !== decided.decision && (
              <p class="small-text">
                If every policy were enforced: <strong>{decided.evaluatedDecision}</strong>.
              </p>
            )}
          </div>
        </li>
      </ol>
    </figure>
  );
}

function strictest(controls: readonly ControlView[]): Decision {
  const effects = new Set(controls.map(({ evaluation: { effect } }) => effect));
  return effects.has('block') ? 'block' : effects.has('pause') ? 'pause' : 'allow';
}

export function Caption({ decided }: { readonly decided: Decided }) {
  return (
    <figcaption>
      <p>
        <Told text={plainReason(decided.reason)} />
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
  );
}

const GATE_NAMES = {
  freeze: 'Freeze',
  policy: 'Policy',
  workflow: 'Workflow',
  limit: 'Limit',
  authority: 'Authority',
} as const;
const STATES: { readonly [state in GateState]: { readonly word: string; readonly glyph: Decision | null } } =
  {
    passes: { word: 'passed', glyph: 'allow' },
    not_asked: { word: 'not required', glyph: null },
    pause: { word: 'paused', glyph: 'pause' },
    block: { word: 'blocked', glyph: 'block' },
  };

function Gate({ gate }: { readonly gate: GateView }) {
  const { word, glyph } = STATES[gate.state];
  return (
    <li class={`gate ${gate.isAlarm ? 'block' : (glyph ?? 'idle')}`}>
      <p class="gate-name">{GATE_NAMES[gate.gate]}</p>
      <div>
        <p>
          <span class="state">
            {glyph !== null && <DecisionGlyph decision={glyph} />} {word}
          </span>{' '}
          <Told text={gate.says} />
        </p>
        {gate.needs.map((need) => (
          <p key={need} class="need">
            Needs: <Told text={plainReason(need)} />
          </p>
        ))}
      </div>
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
        : `The agent ${validUntilMs < Date.now() ? 'could' : 'may'} write for ${inWords(validUntilMs - atMs)}.`;
    case 'pause':
      return 'The agent may not write yet.';
    case 'block':
      return 'The agent must not retry unchanged.';
  }
}
