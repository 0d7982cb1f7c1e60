/** Builds the parts of an impact report with their names. */
import type { ImpactReport, Matrix } from '@writecheck/api';

export type NotReplayed = keyof ImpactReport['coverage']['notReplayed'];
/** The first of these reasons that applies counts. */
export const NOT_REPLAYED: readonly NotReplayed[] = [
  'pruned',
  'version',
  'frozen',
  'signature',
  'use',
  'review',
  'facts',
];

export type Cells = Matrix['decisions'];
export type RuleCount = ImpactReport['rules']['controls'][number];
