/** Small histories around the limits of every time rule, from a seed. */
import { seededRandom } from '../../../scripts/seeded-random.ts';
import type { MadeDecision } from './export-kit.ts';
import type { ModelChange, ModelDecision } from './reconcile-model.ts';

const T0 = Date.UTC(2026, 10, 15);
const DAY = 86_400_000;
const VALID = [0, 1, 60_000, 300_000];

export interface GeneratedHistory {
  readonly windowMs: number;
  readonly skewMs: number;
  readonly changes: readonly ModelChange[];
  readonly decisions: readonly ModelDecision[];
}

export function generatedHistory(seed: number): GeneratedHistory {
  const random = seededRandom(seed);
  const pick = <T>(...items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const windowMs = pick(0, 1_000, 900_000, 2 * DAY);
  const skewMs = pick(0, 5_000, 60_000);
  const sizes = { objects: pick(1, 1, 3), values: pick(1, 2, 4) };
  const text = (names: readonly string[], count: number): string =>
    names[Math.floor(random() * Math.min(count, names.length))]!;
  const decisions = Array.from({ length: Math.floor(random() * 30) }, (_, i): ModelDecision => {
    const T = T0 + Math.floor(random() * 3) * DAY + Math.floor(random() * 4) * 300_000 + pick(0, 0, 1);
    const decision = pick('allow', 'allow', 'allow', 'pause', 'block');
    const whole = {
      objectType: pick('vendor', 'Vendor'),
      objectRef: text(['V-1', 'V-2', 'v-1'], sizes.objects),
      field: pick('terms', 'TERMS'),
      agentValue: text(['a', 'A', 'b', ''], sizes.values),
    };
    const { [pick('objectType', 'objectRef', 'field', 'agentValue')]: _left, ...part } = whole;
    return {
      ...{ id: `dec_${String(i).padStart(2, '0')}`, T, decision },
      validUntil: T + pick(...VALID),
      evaluatedDecision: decision === 'allow' ? pick('allow', 'allow', 'pause') : decision,
      keyKind: pick('live', 'live', 'development'),
      isRedeemed: decision === 'allow' && random() < 0.4,
      system: pick('erp', 'erp', 'ERP', 'crm'),
      ...(random() < 0.05 ? part : whole),
    };
  });
  const changes = Array.from({ length: Math.floor(random() * 20) }, (_, i): ModelChange => {
    const near = decisions.length === 0 ? T0 : pick(...decisions.map(({ T }) => T));
    const limits = [
      0,
      -skewMs,
      DAY,
      windowMs,
      ...VALID.flatMap((valid) => [valid + windowMs, valid + windowMs + DAY]),
    ];
    return {
      line: i + 1,
      t: near + pick(...limits) + pick(-1, 0, 0, 0, 0.5, 1),
      objectType: pick('vendor', 'VENDOR'),
      objectRef: text(['V-1', 'V-2', 'v-1'], sizes.objects),
      field: pick('terms', 'Terms'),
      newValue: text(['a', 'A', 'b', ''], sizes.values),
    };
  });
  return { windowMs, skewMs, changes, decisions };
}

export function changeLine({ t, line: _line, ...rest }: ModelChange): string {
  const ms = Math.floor(t);
  const time = new Date(ms).toISOString().replace('Z', t === ms ? 'Z' : '5Z');
  return JSON.stringify({ time, ...rest });
}

export function madeDecision({ id, T, validUntil, isRedeemed, ...rest }: ModelDecision): MadeDecision {
  const { decision, evaluatedDecision, keyKind, ...intent } = rest;
  const redeemed = isRedeemed ? { redeemedAtMs: T } : {};
  return { id, atMs: T, validMs: validUntil - T, ...redeemed, decision, evaluatedDecision, keyKind, intent };
}
