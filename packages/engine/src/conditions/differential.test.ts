import { isCelError, run } from '@bufbuild/cel';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { JsonObject, WriteIntent } from '@writecheck/contract';
import { afterAll, expect } from 'vitest';
import { testInPart } from '../../../../scripts/in-part.ts';
import { type Random, seeded } from '../../test/documents.ts';
import { compileCondition } from './condition.ts';

// The public implementation computes in the zone of the machine, which must not leave out an hour.
const zone = process.env.TZ;
process.env.TZ = 'UTC';
afterAll(() => {
  // Other test files run in this process.
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

type Type = 'bool' | 'string' | 'double' | 'int' | 'timestamp' | 'duration';

const TEXTS = ['', 'a', 'ab', 'erp', 'é', '2026-11-15T12:00:00Z', '90m', 'zz'];
const DOUBLES = ['0.0', '1.0', '-2.5', '1000.5', '3.0'];
const INTS = ['0', '1', '-1', '3', '7', '9223372036854775807'];
const TIMES = ['2026-11-15T12:00:00Z', '1999-01-01T00:00:00.5+02:00', '2400-02-29T23:59:59Z'];
const ZONES = ['', '"UTC"', '"+05:30"', '"-08:00"', '"Europe/Berlin"', '"America/St_Johns"'];
const SPANS = ['1h', '-90m', '1.5s', '2500000h', '0'];

const PATHS: Record<'bool' | 'string' | 'double', readonly string[]> = {
  bool: ['intent.authorityFound', 'intent.metadata.b'],
  string: ['intent.system', 'intent.agentValue', 'intent.metadata.s', 'intent.metadata["x-y"]'],
  double: ['intent.metadata.n', 'intent.metadata.context.amount'],
};

function generate(type: Type, depth: number, random: Random): string {
  const sub = (of: Type) => generate(of, depth - 1, random);
  const leaf = depth <= 0 || random.below(4) === 0;
  switch (type) {
    case 'bool':
      return leaf ? random.pick([...PATHS.bool, 'true', 'false']) : bool(random, sub);
    case 'string':
      return random.below(3) === 0 ? JSON.stringify(random.pick(TEXTS)) : random.pick(PATHS.string);
    case 'double': {
      if (leaf) return random.below(2) === 0 ? random.pick(DOUBLES) : random.pick(PATHS.double);
      if (random.below(6) === 0) return `-(${sub('double')})`;
      return `(${sub('double')} ${random.pick(['+', '-', '*', '/'])} ${sub('double')})`;
    }
    case 'int': {
      if (leaf)
        return random.pick([
          random.pick(INTS),
          random.pick(INTS),
          `size(${sub('string')})`,
          `${sub('timestamp')}.${random.pick(['getHours', 'getDayOfWeek'])}(${random.pick(ZONES)})`,
        ]);
      if (random.below(6) === 0) return `-(${sub('int')})`;
      return `(${sub('int')} ${random.pick(['+', '-', '*', '/', '%'])} ${sub('int')})`;
    }
    case 'timestamp':
      if (leaf)
        return random.pick([
          'now',
          `timestamp(${JSON.stringify(random.pick(TIMES))})`,
          `timestamp(${sub('string')})`,
        ]);
      return random.pick([
        `(${sub('timestamp')} ${random.pick(['+', '-'])} ${sub('duration')})`,
        `(${sub('duration')} + ${sub('timestamp')})`,
      ]);
    case 'duration':
      if (leaf)
        return random.pick([`duration(${JSON.stringify(random.pick(SPANS))})`, `duration(${sub('string')})`]);
      return random.pick([
        `(${sub('timestamp')} - ${sub('timestamp')})`,
        `(${sub('duration')} ${random.pick(['+', '-'])} ${sub('duration')})`,
      ]);
  }
}

function bool(random: Random, sub: (of: Type) => string): string {
  const numeric = () => random.pick<Type>(['double', 'int']);
  return random.pick<() => string>([
    () => `(${sub('bool')} && ${sub('bool')})`,
    () => `(${sub('bool')} || ${sub('bool')})`,
    () => `!(${sub('bool')})`,
    () => `${sub(numeric())} ${random.pick(['<', '<=', '>', '>=', '==', '!='])} ${sub(numeric())}`,
    () => `${sub('string')} ${random.pick(['<', '<=', '>', '>=', '==', '!='])} ${sub('string')}`,
    () => `${sub('timestamp')} ${random.pick(['<', '<=', '>', '>=', '==', '!='])} ${sub('timestamp')}`,
    () => `${sub('duration')} ${random.pick(['<', '<=', '>', '>=', '==', '!='])} ${sub('duration')}`,
    () =>
      `${random.pick(PATHS.string)}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${sub('string')})`,
    () =>
      `${sub('string')} in [${TEXTS.slice(0, 1 + random.below(4))
        .map((text) => JSON.stringify(text))
        .join(', ')}]`,
    () => `${sub('double')} in [1, -2.5, 3]`,
    () => `${sub('int')} in [1, 3, 7.0]`,
    () => `(${sub('bool')}) == (${sub('bool')})`,
  ])();
}

function generateIntent(random: Random): WriteIntent {
  const metadata: JsonObject = {
    b: random.below(2) === 0,
    s: random.pick(TEXTS),
    'x-y': random.pick(TEXTS),
    n: random.pick([0, 1, -2.5, 1000.5, 3, 1e-3]),
    context: { amount: random.pick([0, 3, 1000, 7.25]) },
  };
  return {
    system: random.pick(['erp', 'ab']),
    agentValue: random.pick(TEXTS),
    authorityFound: random.below(2) === 0,
    metadata,
  };
}

const WHOLE = 6_000;
const agreement = {
  part: WHOLE / 10,
  whole: WHOLE,
  named: (count: string) =>
    `closures agree with @bufbuild/cel wherever both are defined, and are stricter where it absorbs an error: ${count} conditions`,
};
testInPart(agreement, (rounds) => {
  const random = seeded(42);
  const nowMs = Date.UTC(2026, 10, 15, 12);
  const now = timestampFromMs(nowMs);
  const counts = { applies: 0, skips: 0, unreadable: 0, error: 0, refused: 0, absorbed: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const source = generate('bool', 1 + random.below(4), random);
    const compiled = compileCondition(source);
    if (compiled.kind === 'invalid') {
      // Only conditions that fail for every intent may be refused: everything here is well typed.
      expect(
        compiled.faults.every(({ message }) => /every time/.test(message)),
        `${source} ${JSON.stringify(compiled.faults)}`,
      ).toBe(true);
      counts.refused += 1;
      continue;
    }
    for (let asked = 0; asked < 3; asked += 1) {
      const intent = generateIntent(random);
      const ours = compiled.condition.evaluate(intent, nowMs);
      const theirs = run(source, { intent: intent as never, now });
      const where = `${source} on ${JSON.stringify(intent)}`;
      counts[ours] += 1;
      if (ours === 'error') {
        if (!isCelError(theirs)) counts.absorbed += 1;
      } else if (isCelError(theirs)) {
        expect.fail(`${where}: ${theirs.message}`);
      } else expect(ours === 'applies', where).toBe(theirs);
    }
  }
  expect(Math.min(counts.applies, counts.skips)).toBeGreaterThan(rounds / 3);
  expect(counts.error).toBeGreaterThan(rounds / 30);
  expect(counts.absorbed).toBeGreaterThan(rounds / 300);
});

const LIST_CONDITIONS: readonly ((random: Random) => string)[] = [
  (random) => `facts.order.lines.${random.pick(['all', 'exists'])}(l, ${lineSays(random)})`,
  (random) => `size(facts.order.lines.filter(l, ${lineSays(random)})) ${random.pick(['==', '>', '<='])} 1`,
  (random) => `facts.order.lines.filter(l, ${lineSays(random)}).map(l, l.kind) == facts.order.words`,
  (random) => `${JSON.stringify(random.pick(['a', 'goods', '']))} in facts.order.words`,
  (random) => `facts.order.lines.exists(l, ${JSON.stringify(random.pick(['a', 'b']))} in l.tags)`,
  (random) => `facts.order.lines.all(l, l.tags.exists(t, t == "a" || ${lineSays(random)}))`,
  (random) => `facts.order.words ${random.pick(['==', '!='])} intent.metadata.words`,
  (random) => `facts.order.deep ${random.pick(['==', '!='])} intent.metadata.deep`,
  (random) => `facts.order.words[${random.below(3)}] == "a"`,
  (random) => `has(facts.order.${random.pick(['po', 'total', 'deep.a', 'deep.b'])})`,
  () => 'has(facts.order.po) && facts.order.po.startsWith("PO")',
  () => '!has(facts.order.po) || facts.order.po == "PO-1"',
  () => 'facts.order.lines.all(l, !has(l.po) || l.po == "PO-1")',
  () => 'facts.order.lines.exists(l, has(l.po) && l.po == "PO-1")',
];

function lineSays(random: Random): string {
  return random.pick([
    'l.amount > 1.5',
    'l.kind == "goods"',
    'size(l.tags) > 0',
    'l.amount <= facts.order.total && l.kind != "freight"',
    '!(l.kind in ["goods", "freight"]) || l.amount == 1.0',
  ]);
}

function generateOrder(random: Random): JsonObject {
  const line = (): JsonObject => ({
    amount: random.pick([0, 1, 1.5, 2]),
    kind: random.pick(['goods', 'freight', 'x']),
    tags: ['a', 'b'].filter(() => random.below(2) === 0),
    ...(random.below(2) === 0 ? { po: random.pick(['PO-1', 'PO-2']) } : {}),
  });
  return {
    total: random.pick([1, 2]),
    lines: Array.from({ length: random.below(4) }, line),
    words: ['a', 'goods'].slice(0, random.below(3)),
    deep: { a: 1, b: [1, 2] },
    ...(random.below(2) === 0 ? { po: 'PO-1' } : {}),
  };
}

const listAgreement = {
  part: 500,
  whole: 1_500,
  named: (count: string) =>
    `lists, macros and has agree with @bufbuild/cel wherever both are defined: ${count} conditions`,
};
testInPart(listAgreement, (rounds) => {
  const random = seeded(44);
  const counts = { applies: 0, skips: 0, unreadable: 0, error: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const [a, b] = [random.pick(LIST_CONDITIONS)(random), random.pick(LIST_CONDITIONS)(random)];
    const source = random.pick([a, `!(${a})`, `(${a}) && (${b})`, `(${a}) || (${b})`]);
    const compiled = compileCondition(source);
    if (compiled.kind === 'invalid') throw new Error(`${source} ${JSON.stringify(compiled.faults)}`);
    const order = generateOrder(random);
    const deep = random.pick<JsonObject>([
      { b: [1, 2], a: 1 },
      { a: 1, b: [2, 1] },
    ]);
    const intent: WriteIntent = { system: 's', metadata: { words: ['a'], deep } };
    const ours = compiled.condition.evaluate(intent, 0, undefined, () => order);
    const theirs = run(source, {
      intent: intent as never,
      facts: { order } as never,
      now: timestampFromMs(0),
    });
    counts[ours] += 1;
    // An index out of range is an error there, and may be absorbed by a neighbouring operand; here it never is.
    if (ours === 'unreadable') expect(source).toContain('words[');
    else if (isCelError(theirs)) expect.fail(`${source} on ${JSON.stringify(order)}: ${theirs.message}`);
    else expect(ours === 'applies', `${source} on ${JSON.stringify({ order, intent })}`).toBe(theirs);
  }
  expect(Math.min(counts.applies, counts.skips)).toBeGreaterThan(rounds / 4);
  expect(counts.unreadable).toBeGreaterThan(rounds / 75);
  expect(counts.error).toBe(0);
});

const refusal = {
  part: 2_000,
  whole: 15_000,
  named: (count: string) => `everything CEL cannot parse is refused: ${count} texts`,
};
testInPart(refusal, (rounds) => {
  const random = seeded(43);
  const SCRAPS = [
    '(',
    ')',
    '[',
    ']',
    '&&',
    '||',
    '!',
    '-',
    '+',
    '*',
    '==',
    '<',
    'in',
    '.',
    ',',
    '"',
    "'",
    'intent',
    '.system',
    'now',
    '1',
    '2.0',
    ' ',
    '"a"',
    'size',
    'r"',
    '\\',
    '?',
    ':',
    'u',
    '0x',
    'e5',
  ];
  let accepted = 0;
  for (let round = 0; round < rounds; round += 1) {
    let source = generate('bool', random.below(3), random);
    for (let times = random.below(3); times > 0; times -= 1) {
      const at = random.below(source.length + 1);
      source = source.slice(0, at) + random.pick(SCRAPS) + source.slice(at + random.below(3));
    }
    const compiled = compileCondition(source);
    if (compiled.kind === 'invalid') continue;
    accepted += 1;
    const theirs = run(source, { intent: generateIntent(random) as never, now: timestampFromMs(0) });
    if (isCelError(theirs)) expect(theirs.message, source).not.toMatch(/expecting|reserved|overload/i);
  }
  expect(accepted).toBeGreaterThan(rounds / 5);
});
