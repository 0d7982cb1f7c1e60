/** Finds limits that an agent can avoid, or that add up unrelated amounts. */
import type { LimitDocument } from '../policy/documents.ts';
import { quoted } from '../policy/faults.ts';
import { isMatched, limitPath } from '../policy/limit-paths.ts';
import { MATCH_MEMBERS } from '../policy/match.ts';
import type { Warn } from './lint-warning.ts';

const MONEY = /amount|price|total|cost|fee|payment|salary|money|value/i;
const CURRENCY = /currency/i;

export function lintLimit(limit: LimitDocument, warn: Warn): void {
  const { match = {}, by = [], sum } = limit;
  const paths = by.map((path, index) => ({ pointer: `/by/${index}`, path }));
  if (sum !== undefined) paths.push({ pointer: '/sum', path: sum });
  for (const { pointer, path } of paths) {
    if (isChosenByAgent(path))
      warn(
        limit,
        pointer,
        `the agent chooses ${quoted(path)} itself, so it can get around this limit; ${pointer === '/sum' ? 'add up a fact, or let a profile require that it equals one' : 'use a fact or `key`'}`,
      );
  }
  if (sum !== undefined && MONEY.test(lastOf(sum)) && !by.some((path) => CURRENCY.test(lastOf(path))))
    warn(limit, '/sum', 'it adds up amounts of different currencies; add the currency to `by`');
  if (match.system === undefined && MATCH_MEMBERS.some((member) => match[member] !== undefined))
    warn(limit, '/match', 'it matches in every system; add `system`');
}

/** An agent cannot choose a fact, a key, or a member that a match compares. */
function isChosenByAgent(path: string): boolean {
  const { path: compiled } = limitPath(path);
  return compiled !== null && compiled.controlId === null && !isMatched(compiled);
}

function lastOf(path: string): string {
  return String(limitPath(path).path?.steps.at(-1) ?? '');
}
