/** Which triples of reason code, effect and mode a decision can have; the generator must reach every one of them. */
import { CONTROL_CODES, DECISIONS, GATE_CODES, WRITE_POLICIES } from '@writecheck/contract';

const REASON_CODES: readonly string[] = [
  ...GATE_CODES,
  ...Object.values(CONTROL_CODES).filter((code) => code !== CONTROL_CODES.satisfied),
];

/** Null if the triple can happen, otherwise why it never can. */
export function whyInfeasible(code: string, effect: string, mode: string): string | null {
  switch (code) {
    case 'requirements_met':
      return effect === 'allow' ? null : 'nothing objects, so nothing can pause or block';
    case 'authority_mismatch':
      if (effect === (mode === 'block_on_mismatch' ? 'block' : 'pause')) return null;
      return 'a mismatch blocks under block_on_mismatch, pauses under every other mode, and never allows';
    case 'frozen':
    case 'authority_unverified':
    case 'workflow_unknown':
    case 'policy_unmatched':
    case 'policy_error':
      return effect === 'pause' ? null : 'this gate can only pause';
    case 'limit_unreadable':
    case 'limit_exceeded':
      return 'generated bundles have no limits; these have a model of their own, in `limits.test.ts`';
    case CONTROL_CODES.revoked:
      return effect === 'block' ? null : 'revoked evidence always blocks';
    default:
      return effect === 'allow' ? 'a control that is not satisfied never allows' : null;
  }
}

/** Occurs only if an observing workflow names a profile that blocks and does not match: too rare to require. */
const RARE_TRIPLE = 'authority_mismatch block observe';

export const FEASIBLE_TRIPLES: readonly string[] = REASON_CODES.flatMap((code) =>
  DECISIONS.flatMap((effect) =>
    WRITE_POLICIES.flatMap((mode) =>
      whyInfeasible(code, effect, mode) === null ? [`${code} ${effect} ${mode}`] : [],
    ),
  ),
);

export type Hits = { readonly [triple: string]: number };

export function addHits(a: Hits, b: Hits): Hits {
  const sum: { [triple: string]: number } = { ...a };
  for (const [triple, count] of Object.entries(b)) sum[triple] = (sum[triple] ?? 0) + count;
  return sum;
}

/** Triples hit less often than required, and triples that were thought impossible. */
export function coverageFaults(hits: Hits, atLeast: number): readonly string[] {
  const rare = FEASIBLE_TRIPLES.filter((triple) => (hits[triple] ?? 0) < atLeast);
  const impossible = Object.keys(hits).filter(
    (triple) => !FEASIBLE_TRIPLES.includes(triple) && triple !== RARE_TRIPLE,
  );
  return [
    ...rare.map((triple) => `${triple}: hit ${hits[triple] ?? 0} times, fewer than ${atLeast}`),
    ...impossible.map((triple) => `${triple}: hit, though held to be infeasible`),
  ];
}
