/**
 * The classes of changes by their definition, without regard for speed: every change is compared with every
 * decision.
 */
import { asciiLower } from '@writecheck/engine';

export interface ModelDecision {
  readonly id: string;
  readonly T: number;
  readonly validUntil: number;
  readonly decision: 'allow' | 'pause' | 'block';
  readonly evaluatedDecision: 'allow' | 'pause' | 'block';
  readonly keyKind: 'live' | 'development';
  readonly isRedeemed: boolean;
  readonly system: string;
  readonly objectType?: string;
  readonly objectRef?: string;
  readonly field?: string;
  readonly agentValue?: string;
}

export interface ModelChange {
  readonly line: number;
  /** The time in milliseconds, with a fraction. */
  readonly t: number;
  readonly objectType: string;
  readonly objectRef: string;
  readonly field: string;
  readonly newValue: string;
}

export interface ModelResult {
  readonly line: number;
  readonly class: string;
  readonly decision_id: string | null;
  /** One allow, the same value again: the allow that is valid longest is then the decision concerned. */
  readonly isDouble: boolean;
}

const DAY = 24 * 3_600_000;

export function modelClasses(
  changes: readonly ModelChange[],
  decisions: readonly ModelDecision[],
  system: string,
  window: number,
  skew: number,
): { readonly results: readonly ModelResult[]; readonly notCarriedOut: number } {
  const sameText = (a: string | undefined, b: string) => a !== undefined && asciiLower(a) === asciiLower(b);
  const takesPart = (d: ModelDecision) =>
    sameText(d.system, system) &&
    d.objectType !== undefined &&
    d.objectRef !== undefined &&
    d.field !== undefined &&
    d.agentValue !== undefined;
  const parts = decisions.filter(takesPart).sort((a, b) => a.T - b.T || (a.id < b.id ? -1 : 1));
  const answered = new Set<string>();
  /** Decisions in the order in which they covered a change. */
  const order: string[] = [];
  const inOrder = [...changes].sort((a, b) => a.t - b.t || a.line - b.line);
  const results = inOrder.map((change): ModelResult => {
    const { t, line } = change;
    const same = parts.filter(
      (d) =>
        sameText(d.objectType, change.objectType) &&
        sameText(d.field, change.field) &&
        d.objectRef === change.objectRef,
    );
    const fits = (d: ModelDecision, longer = 0) =>
      d.decision === 'allow' &&
      d.agentValue === change.newValue &&
      !answered.has(d.id) &&
      d.T - skew <= t &&
      t <= d.validUntil + window + longer;
    const near = (d: ModelDecision) => t - DAY <= d.T && d.T <= t + skew;
    const rules: readonly (readonly [string, (d: ModelDecision) => boolean])[] = [
      ['redeemed', (d) => fits(d) && d.keyKind === 'live' && d.evaluatedDecision === 'allow' && d.isRedeemed],
      ['allowed', (d) => fits(d) && d.keyKind === 'live' && d.evaluatedDecision === 'allow'],
      ['observed', (d) => fits(d) && d.evaluatedDecision !== 'allow'],
      ['development', (d) => fits(d) && d.keyKind === 'development'],
      ['late', (d) => fits(d, DAY)],
    ];
    for (const [name, holds] of rules) {
      const oldest = same.find(holds);
      if (oldest === undefined) continue;
      answered.add(oldest.id);
      order.push(oldest.id);
      return { line, class: name, decision_id: oldest.id, isDouble: false };
    }
    const others: readonly (readonly [string, (d: ModelDecision) => boolean])[] = [
      ['after_block', (d) => d.decision === 'block' && d.agentValue === change.newValue && near(d)],
      ['after_pause', (d) => d.decision === 'pause' && d.agentValue === change.newValue && near(d)],
      ['other_value', (d) => d.agentValue !== change.newValue && near(d)],
    ];
    const [used] = same
      .filter((d) => answered.has(d.id) && d.agentValue === change.newValue)
      .sort((a, b) => b.validUntil - a.validUntil || order.indexOf(b.id) - order.indexOf(a.id));
    const isDouble = used !== undefined && t <= used.validUntil + window + DAY;
    for (const [name, holds] of others) {
      const newest = same.findLast(holds);
      if (newest === undefined) continue;
      const isOther = name === 'other_value' && isDouble;
      return { line, class: name, decision_id: isOther ? used.id : newest.id, isDouble: isOther };
    }
    return { line, class: 'nobody_asked', decision_id: isDouble ? used.id : null, isDouble };
  });
  const first = inOrder[0]?.t ?? 0;
  const last = inOrder.at(-1)?.t ?? -1;
  const notCarriedOut = parts.filter(
    (d) => d.decision === 'allow' && !answered.has(d.id) && first <= d.T && d.T <= last,
  ).length;
  return { results, notCarriedOut };
}
