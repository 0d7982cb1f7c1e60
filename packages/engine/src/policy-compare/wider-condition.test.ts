import type { JsonValue, WriteIntent } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { type Dice, seededDice } from '../../test/dice.ts';
import type { ConditionResult } from '../conditions/compiled-condition.ts';
import { compileCondition } from '../conditions/condition.ts';
import { isAsWide } from './wider-condition.ts';

const PAIRS = 100;
const NUMBERS = ['1', '2', '2.0', '2.5'];
const TEXTS = ['"a"', '"b"', '"c"'];

/** Comparisons of the supported kinds, chains of them, and some others. */
function draw(dice: Dice, depth: number): string {
  if (depth > 0 && dice.chance(45))
    return `(${draw(dice, depth - 1)} ${dice.pick(['&&', '||'])} ${draw(dice, depth - 1)})`;
  const path = `intent.metadata.${dice.pick(['n', 'm'])}`;
  const text = `intent.metadata.${dice.pick(['t', 'u'])}`;
  switch (dice.roll(8)) {
    case 0:
      return `${text} ${dice.pick(['==', '!='])} ${dice.pick(TEXTS)}`;
    case 1:
      return `${dice.pick(TEXTS)} ${dice.pick(['==', '!='])} ${text}`;
    case 2:
      return `${dice.chance(50) ? '!' : ''}(${text} in [${TEXTS.filter(() => dice.chance(50)).join(', ') || '"d"'}])`;
    case 3:
      return `${dice.pick(NUMBERS)} ${dice.pick(['<', '<=', '>', '>='])} ${path}`;
    case 4:
      return dice.pick([`${path} == 2.0`, 'intent.metadata.t == intent.metadata.u', `!(${path} > 1.0)`]);
    default:
      return `${path} ${dice.pick(['<', '<=', '>', '>='])} ${dice.pick(NUMBERS)}`;
  }
}

/** Changes some constants or operators, as an author would. */
function edited(dice: Dice, condition: string): string {
  return condition
    .replaceAll(/\b[12](\.\d)?(?![\w"])/g, (was) => (dice.chance(50) ? dice.pick(NUMBERS) : was))
    .replaceAll(/"[a-d]"/g, (was) => (dice.chance(30) ? dice.pick(TEXTS) : was));
}

const VALUES: readonly (JsonValue | undefined)[] = [1, 2, 2.25, 2.5, 'x', undefined];
const SAID: readonly (JsonValue | undefined)[] = ['a', 'b', 'd', undefined];

function intents(): readonly WriteIntent[] {
  const pairs = (values: readonly (JsonValue | undefined)[]) =>
    values.flatMap((one) => values.map((other) => [one, other] as const));
  const plain = (members: { readonly [name: string]: JsonValue | undefined }) =>
    ({ system: 'erp', metadata: JSON.parse(JSON.stringify(members)) }) as WriteIntent;
  return pairs(VALUES).flatMap(([n, m]) => pairs(SAID).map(([t, u]) => plain({ n, m, t, u })));
}

test('a condition that counts as wider holds whenever the other does, and cannot read the same intents', () => {
  const all = intents();
  let compared = 0;
  for (let stream = 0; compared < PAIRS; stream += 1) {
    const dice = seededDice(20_261_118, stream);
    const inner = draw(dice, 2);
    const outer = dice.chance(80) ? edited(dice, inner) : draw(dice, 2);
    if (outer === inner || !isAsWide(outer, inner)) continue;
    const [wide, narrow] = [outer, inner].map((source) => compileCondition(source));
    if (wide?.kind !== 'condition' || narrow?.kind !== 'condition') continue;
    compared += 1;
    for (const intent of all) {
      const was: ConditionResult = narrow.condition.evaluate(intent, 0);
      const is: ConditionResult = wide.condition.evaluate(intent, 0);
      const isSound = was === is || (was === 'skips' && is === 'applies');
      if (!isSound)
        expect.fail(`${outer} is not as wide as ${inner}: ${JSON.stringify(intent)} ${was} ${is}`);
    }
  }
  expect(compared).toBe(PAIRS);
});
