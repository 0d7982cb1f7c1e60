import { checkSync } from 'recheck';
import { expect, test } from 'vitest';
import { expressionsIn, expressionsInSources, type FoundExpression } from './regular-expressions.ts';

// Use the JavaScript build on every platform. The automaton proves; the fuzzer fallback only guesses.
process.env.RECHECK_BACKEND = 'pure';
const HOW = { checker: 'automaton', timeout: null } as const;

/** What is wrong with an expression, or null if its time is proven linear. */
function faultOf({ place, expression }: FoundExpression): string | null {
  if (expression === null)
    return `${place}: write the regular expression as a literal, so that it can be analysed`;
  const shown = `${place}: /${expression.source}/${expression.flags}`;
  const result = checkSync(expression.source, expression.flags, HOW);
  switch (result.status) {
    case 'safe':
      return null;
    case 'vulnerable':
      return `${shown} takes ${result.complexity.summary} time, for example on ${result.attack.pattern}`;
    case 'unknown':
      return `${shown} cannot be analysed (${result.error.kind}); write it without looking ahead or behind`;
  }
}

test('no regular expression in the sources takes more than linear time', {
  tags: 'nightly',
  timeout: 600_000,
}, () => {
  const found = expressionsInSources();
  expect(found.length).toBeGreaterThan(100);
  const distinct = new Map(found.map((one) => [JSON.stringify(one.expression ?? one.place), one]));
  expect([...distinct.values()].map(faultOf).filter((fault) => fault !== null)).toEqual([]);
});

test.each([
  ['a run that can be entered at each of its pieces', 'text.replace(/\\beyJ[\\w-]+\\./, "")'],
  ['spaces before a missing delimiter', 'text.split(/\\s*;\\s*q=/)'],
  ['slashes at the end', 'text.replace(/\\/+$/, "")'],
  ['a repetition of repetitions', 'const a = 4 / 2; /^(?:a+)+$/.test(text)'],
  ['what is put together at run time', 'new RegExp("^" + text)'],
  ['a lookbehind, which the analyser cannot prove', '/(?<!a)b+$/.test(text)'],
])('the analysis notices %s', { timeout: 60_000 }, (_what, source) => {
  const [found, ...others] = expressionsIn('source.ts', `\n${source};\n`);
  expect(others).toEqual([]);
  expect(faultOf(found!)).toContain('source.ts:2: ');
});
