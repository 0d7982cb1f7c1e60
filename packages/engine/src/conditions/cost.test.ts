import type { WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { medianCostMs } from '../../test/thread-time.ts';
import { BUNDLE_BYTES_MAX } from '../policy/compile.ts';
import { CONDITION_LENGTH_MAX } from '../policy/profile-shapes.ts';
import { CONDITION_BUDGET, newConditionBudget } from './budget.ts';
import { compileCondition } from './condition.ts';

/** The bar is 5 ms; the margin is for machines slower than ours. */
const STALL_MS_MAX = 15;

const HOSTILE_INTENTS: readonly WriteIntent[] = [
  {
    system: 'a'.repeat(256),
    agentValue: 'a'.repeat(16_384),
    authorityValue: `${'a'.repeat(4_000)}b${'a'.repeat(4_000)}`,
    metadata: { s: 'a'.repeat(16_000), n: 1e-300 },
  },
  {
    system: 'a'.repeat(256),
    agentValue: '😀'.repeat(4_096),
    authorityValue: `${'😀'.repeat(2_047)}x`,
    metadata: { s: '9'.repeat(16_000), n: 1e300 },
  },
  {
    system: 'x',
    agentValue: `${'ab'.repeat(8_191)}`,
    authorityValue: `${'ab'.repeat(4_000)}b`,
    metadata: { s: `${'0'.repeat(8_000)}.5h`, n: 0 },
  },
  {
    system: 'x',
    agentValue: 'a'.repeat(16_384),
    authorityValue: `${'a'.repeat(16_383)}b`,
    metadata: { s: '2026-11-15T12:00:00Z', n: -0 },
  },
];

/** A condition with as many repetitions of a clause as it may hold. */
function filled(clause: string, operator: string): string {
  const count = Math.floor((CONDITION_LENGTH_MAX + operator.length) / (clause.length + operator.length));
  return Array.from({ length: count }, () => clause).join(operator);
}

const HOSTILE_CONDITIONS: readonly string[] = [
  filled('intent.agentValue.contains(intent.authorityValue)', '||'),
  filled('size(intent.agentValue)==1', '||'),
  filled('intent.agentValue<intent.authorityValue', '&&'),
  filled('intent.agentValue==intent.authorityValue', '||'),
  filled('intent.authorityValue in ["a"]', '||'),
  filled('intent.agentValue.startsWith(intent.authorityValue)', '||'),
  filled('timestamp(intent.metadata.s)<now', '&&'),
  filled('now.getHours("Asia/Kathmandu")<9', '&&'),
  filled('timestamp(intent.metadata.s).getDayOfWeek("-08:00")<3', '&&'),
  filled('duration(intent.metadata.s)<duration("1s")', '&&'),
  `${`${filled('intent.metadata.n', '*').slice(0, 1_980)}`.replace(/[*][^*]*$/, '')}>1.0`,
  `${`${filled('size(intent.agentValue)', '*').slice(0, 1_980)}`.replace(/[*][^*]*$/, '')}>1`,
  `intent.agentValue.contains("${'a'.repeat(1_900)}b")`,
  `intent.system in [${Array.from({ length: 400 }, (_, index) => `"${index}"`)
    .join(',')
    .slice(0, 1_900)
    .replace(/,[^,]*$/, '')}]`,
];

describe('no condition and no intent takes long', () => {
  test('one hostile condition against hostile intents', () => {
    let worst = 0;
    for (const source of HOSTILE_CONDITIONS) {
      const compiled = compileCondition(source);
      if (compiled.kind === 'invalid') throw new Error(`${source}: ${JSON.stringify(compiled.faults)}`);
      for (const intent of HOSTILE_INTENTS) {
        worst = Math.max(
          worst,
          medianCostMs(() => compiled.condition.evaluate(intent, 0), 5),
        );
      }
    }
    expect(worst).toBeLessThan(STALL_MS_MAX);
  });

  test('as many hostile conditions as a bundle holds, all of one decision', () => {
    const conditionsPerBundle = BUNDLE_BYTES_MAX / CONDITION_LENGTH_MAX;
    for (const source of HOSTILE_CONDITIONS) {
      const compiled = compileCondition(source);
      if (compiled.kind === 'invalid') throw new Error(source);
      for (const intent of HOSTILE_INTENTS) {
        const cost = medianCostMs(() => {
          const budget = newConditionBudget();
          for (let count = 0; count < conditionsPerBundle; count += 1)
            compiled.condition.evaluate(intent, 0, budget);
        }, 3);
        expect(cost, source.slice(0, 60)).toBeLessThan(STALL_MS_MAX);
      }
    }
  });

  test('one hostile condition against hostile lists and objects, by the number of times it looks at them', () => {
    const wide = (members: number) =>
      Object.fromEntries(Array.from({ length: members }, (_, index) => [`m${index}`, index]));
    const numbers = Array.from({ length: 1_000 }, (_, index) => index + 0.5);
    let looks = 0;
    const counted = <T extends object>(value: T): T =>
      new Proxy(value, {
        get: (target, name) => {
          looks += 1;
          const found: unknown = Reflect.get(target, name);
          return typeof found === 'object' && found !== null ? counted(found) : found;
        },
        getOwnPropertyDescriptor: (target, name) => {
          looks += 1;
          return Reflect.getOwnPropertyDescriptor(target, name);
        },
      });
    const facts = counted({ numbers, a: wide(1_000), b: wide(999), lists: numbers.map(() => [1, 2]) });
    const conditions = [
      `facts.r.numbers.all(n, ${filled('facts.r.a==facts.r.b', '||')
        .slice(0, 1_900)
        .replace(/\|\|[^|]*$/, '')})`,
      `facts.r.numbers.all(n, facts.r.a == facts.r.a)`,
      `facts.r.numbers.all(n, facts.r.lists == facts.r.lists)`,
      `facts.r.numbers.exists(n, ${filled('n in facts.r.numbers', '||')
        .slice(0, 1_900)
        .replace(/\|\|[^|]*$/, '')})`,
      `facts.r.numbers.all(n, facts.r.numbers.exists(m, m == n))`,
      `facts.r.numbers.all(n, facts.r.numbers.sum() > facts.r.numbers.max())`,
      `facts.r.lists.filter(l, facts.r.lists.exists(m, m == l)).map(l, l[0]).sum() > 1.0`,
    ];
    for (const source of conditions) {
      const compiled = compileCondition(source);
      if (compiled.kind === 'invalid') throw new Error(`${source}: ${JSON.stringify(compiled.faults)}`);
      looks = 0;
      expect(
        compiled.condition.evaluate({ system: 'erp' }, 0, undefined, () => facts),
        source,
      ).toBe('error');
      expect(looks, source).toBeLessThan(2 * CONDITION_BUDGET);
    }
  });

  test('compiling any text of the allowed length', () => {
    const texts = [
      ...HOSTILE_CONDITIONS,
      ...[
        '(',
        '[',
        '!',
        '-',
        '"',
        "'",
        "'''",
        '.',
        'a',
        '1',
        ' ',
        '//',
        '\\',
        'size(',
        'intent.',
        '((1)+',
        '{',
        '1?',
        'a.b(',
        '&&',
        '\n',
      ].map((scrap) => scrap.repeat(CONDITION_LENGTH_MAX / scrap.length)),
      `${'('.repeat(32)}1${')'.repeat(32)}+`.repeat(30),
      `${'1+'.repeat(990)}1 == 1`,
      filled('intent.metadata.a==intent.metadata.b', '&&'),
      Array.from(
        { length: 55 },
        (_, index) => `intent.metadata.a${index}==intent.metadata.a${index + 1}`,
      ).join('&&'),
      Intl.supportedValuesOf('timeZone')
        .slice(0, 50)
        .map((zone) => `now.getHours("${zone}")<9`)
        .join('&&'),
      `"${'\\u0041'.repeat(330)}" == ""`,
      `intent.metadata${'.a'.repeat(990)}`,
    ];
    let worst = 0;
    for (const text of texts)
      worst = Math.max(
        worst,
        medianCostMs(() => compileCondition(text), 5),
      );
    expect(worst).toBeLessThan(STALL_MS_MAX);
  });
});
