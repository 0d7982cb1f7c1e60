/** Turns a Limit document without errors into what decisions read. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { amountOfNumber, amountText, canonicalJson, limitWindow } from '@writecheck/contract';
import type { CompiledCondition } from '../conditions/condition.ts';
import type { LimitDocument } from './documents.ts';
import { limitPath } from './limit-paths.ts';
import { compileMatch } from './match.ts';
import type { Control, Limit, Mode } from './snapshot.ts';

const utf8 = new TextEncoder();

export function limitFrom(
  document: LimitDocument,
  condition: CompiledCondition | null,
  mode: Mode,
  controlOf: (controlId: string) => Control,
): Limit {
  const { id, version = null, by = [], sum = null, per, beyond = 'pause' } = document;
  const paths = by.map(limitPath);
  const summed = sum === null ? null : limitPath(sum);
  const reads = new Set(condition?.factsControls ?? []);
  for (const one of [...paths, summed])
    if (typeof one?.path?.controlId === 'string') reads.add(one.path.controlId);
  const requires = typeof beyond === 'object' ? beyond.require : [];
  return Object.freeze({
    id,
    version,
    ref: version === null ? `limit:${id}` : `limit:${id}@${version}`,
    matches: compileMatch(document.match ?? {}),
    when: condition?.evaluate ?? null,
    times: condition?.times ?? [],
    by: Object.freeze(paths),
    sum: summed,
    readsFacts: Object.freeze([...reads].sort().map(controlOf)),
    conditionReadsFacts: Object.freeze((condition?.factsControls ?? []).map(controlOf)),
    max: amountText(amountOfNumber(document.max)!),
    per,
    window: limitWindow(per)!,
    counter: digestOf({ by, sum, per }),
    beyond: typeof beyond === 'object' ? 'require' : beyond,
    require: Object.freeze(
      requires.map((control) => Object.freeze({ control: controlOf(control), promotedFrom: null })),
    ),
    mode,
  });
}

/** `sha256:` and hex of the RFC 8785 form. */
export function digestOf(value: unknown): string {
  return `sha256:${bytesToHex(sha256(utf8.encode(canonicalJson(value))))}`;
}
