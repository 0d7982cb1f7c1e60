import type { WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { CONDITION_BUDGET, newConditionBudget } from './budget.ts';
import { compileCondition } from './condition.ts';

const NOW = Date.UTC(2026, 10, 15, 12, 0, 0, 250);

const INTENT: WriteIntent = {
  system: 'erp',
  objectType: 'vendor',
  agentValue: 'DE89 3704',
  authorityFound: true,
  metadata: {
    agent: 'bot',
    text: 'a😀b',
    amount: 1500,
    half: 0.5,
    zero: 0,
    big: 1e308,
    yes: true,
    no: false,
    at: '2026-11-15T12:00:00Z',
    for: '90m',
    nothing: null,
    list: ['x'],
    object: { a: 1 },
    'x-y': 3,
    context: { amount: 2, deep: { name: 'n' } },
  },
};

function evaluate(source: string, intent: WriteIntent = INTENT, nowMs = NOW) {
  const compiled = compileCondition(source);
  if (compiled.kind === 'invalid') throw new Error(`${source}: ${JSON.stringify(compiled.faults)}`);
  return compiled.condition.evaluate(intent, nowMs);
}

function faultsOf(source: string) {
  const compiled = compileCondition(source);
  return compiled.kind === 'invalid' ? compiled.faults : [];
}

describe('a condition that holds applies, one that does not skips', () => {
  test.each<[string, boolean]>([
    ['true', true],
    ['false', false],
    ['intent.system == "erp"', true],
    ['intent.system != "erp"', false],
    ["intent.system == 'ERP'", false],
    ['intent.authorityFound', true],
    ['!intent.authorityFound', false],
    ['!!intent.authorityFound', true],
    ['!!!intent.authorityFound', false],
    ['"ab" < "abc"', true],
    ['"abc" < "ab"', false],
    ['"abc" <= "abc"', true],
    ['"" < "a"', true],
    ['"abd" > "abcd"', true],
    ['intent.metadata.amount > 1000.0', true],
    ['intent.metadata.amount > 1000', true],
    ['intent.metadata.amount > 1500', false],
    ['intent.metadata.amount >= 1500', true],
    ['intent.metadata.amount < 1500', false],
    ['intent.metadata.amount <= 1500', true],
    ['intent.metadata.amount <= 1499', false],
    ['intent.metadata.amount == 1500', true],
    ['intent.metadata.amount != 1500', false],
    ['1499 < intent.metadata.amount', true],
    ['intent.metadata["x-y"] == 3.0', true],
    ['intent["metadata"].context["deep"].name == "n"', true],
    ['intent.metadata.context.amount + 1.0 == 3.0', true],
    ['intent.metadata.context.amount - 1.0 == 1.0', true],
    ['intent.metadata.context.amount * 2.5 == 5.0', true],
    ['intent.metadata.context.amount / 4.0 == intent.metadata.half', true],
    ['-intent.metadata.context.amount == -2', true],
    ['- intent.metadata.context.amount < 0', true],
    ['--intent.metadata.context.amount == 2', true],
    ['7 / 2 == 3', true],
    ['-7 / 2 == -3', true],
    ['-7 % 3 == -1', true],
    ['7 % 3 == 1', true],
    ['2 + 3 * 4 == 14', true],
    ['(2 + 3) * 4 == 20', true],
    ['10 - 3 - 2 == 5', true],
    ['0x10 == 16', true],
    ['.5 == 0.5', true],
    ['1e3 == 1000', true],
    ['1.5E-1 == 0.15', true],
    ['-9223372036854775808 < 0', true],
    ['9223372036854775807 > 0', true],
    ['9007199254740993 == 9007199254740992.0', false],
    ['9007199254740993 > 9007199254740992.0', true],
    ['9007199254740992.0 < 9007199254740993', true],
    ['true == true', true],
    ['intent.metadata.yes == true', true],
    ['intent.metadata.yes != intent.metadata.no', true],
    ['intent.metadata.yes == intent.metadata.no', false],
    ['intent.metadata.text == intent.metadata.text', true],
    ['intent.metadata.half < intent.metadata.half', false],
    ['intent.metadata.yes && intent.metadata.no', false],
    ['intent.metadata.yes || intent.metadata.no', true],
    ['intent.metadata.no || intent.metadata.yes', true],
    ['intent.metadata.no || intent.metadata.no', false],
    ['true || false && false', true],
    ['(true || false) && false', false],
    ['false && false || true', true],
    ['1 < 2 == true', true],
    ['intent.system in ["crm", "erp"]', true],
    ['intent.system in ["crm"]', false],
    ['intent.metadata.amount in [1, 1500]', true],
    ['intent.metadata.amount in [1.0, 1500]', true],
    ['intent.metadata.amount in [-1500, 2.0,]', false],
    ['intent.metadata.yes in [true]', true],
    ['intent.metadata.yes in [false]', false],
    ['size(intent.system) in [3]', true],
    ['!(intent.system in ["crm"])', true],
    ['intent.agentValue.startsWith("DE")', true],
    ['intent.agentValue.startsWith("de")', false],
    ['intent.agentValue.endsWith("04")', true],
    ['intent.agentValue.endsWith("05")', false],
    ['intent.agentValue.contains("89 3")', true],
    ['intent.agentValue.contains("893")', false],
    ['intent.agentValue.contains("")', true],
    ['intent.agentValue.contains(intent.system)', false],
    ['"an erp system".contains(intent.system)', true],
    ['size(intent.metadata.text) == 3', true],
    ['intent.metadata.text.size() == 3', true],
    ['size("") == 0', true],
    ['size(intent.agentValue) > 8.5', true],
    ['intent.system < "erq"', true],
    ['intent.system < "erp"', false],
    ['intent.system <= "erp"', true],
    ['intent.system < "er"', false],
    ['intent.system > "er"', true],
    ['intent.system >= "erp "', false],
    ['"\\uffee" < "😀"', true],
    ['"😀" > "\\uffee"', true],
    ['"😀" < "😁"', true],
    ['now == timestamp("2026-11-15T12:00:00.25Z")', true],
    ['now > timestamp(intent.metadata.at)', true],
    ['now < timestamp(intent.metadata.at)', false],
    ['now - timestamp(intent.metadata.at) == duration("250ms")', true],
    ['now - timestamp(intent.metadata.at) < duration(intent.metadata.for)', true],
    ['timestamp(intent.metadata.at) + duration("250ms") == now', true],
    ['duration("250ms") + timestamp(intent.metadata.at) == now', true],
    ['now - duration("250ms") == timestamp(intent.metadata.at)', true],
    ['duration("1h") - duration("30m") == duration("30m")', true],
    ['duration("1h") + duration("30m") == duration(intent.metadata.for)', true],
    ['timestamp("2026-11-15T13:00:00+01:00") == timestamp("2026-11-15T12:00:00z")', true],
    ['timestamp("2026-11-15T12:00:00.000000001Z") > timestamp("2026-11-15T12:00:00Z")', true],
    ['timestamp("0001-01-01T00:00:00Z") < timestamp("9999-12-31T23:59:59.999999999Z")', true],
    ['duration("-1.5h") == duration("-90m")', true],
    ['duration("+1h1m1s1ms1us1ns") == duration("3661001001001ns")', true],
    ['duration("1µs") == duration(".001ms")', true],
    ['duration("0") == duration("0s")', true],
    ['duration("1.s") == duration("1s")', true],
    ['intent.system == r"erp"', true],
    ['"\\x41\\u0042\\U00000043\\104" == "ABCD"', true],
    [
      "'\\a\\b\\f\\n\\r\\t\\v\\\\\\?\\\"\\'\\`' == '\\x07\\x08\\x0c\\x0A\\x0d\\x09\\x0b\\x5c\\x3f\\x22\\x27\\x60'",
      true,
    ],
    ['size(r"\\n") == 2', true],
    ["size(R'a\\'b') == 4", true],
    ['"""a "quoted" b""" == \'a "quoted" b\'', true],
    ['size("\\U0010FFFF\\ud7ff\\ue000") == 3', true],
    ['size("\\U00010000\\U000103FF") == 2', true],
    ["'''x\ny''' == 'x\\ny'", true],
    ['// why\n true // because', true],
    ['\ttrue\f&&\r\ntrue', true],
  ])('%s', (source, holds) => {
    expect(evaluate(source)).toBe(holds ? 'applies' : 'skips');
  });
});

describe('an absent or mistyped value cannot be read, whatever the rest of the condition says', () => {
  test.each([
    'intent.field == "x"',
    'intent.metadata.missing == "x"',
    'intent.metadata.missing.deeper == "x"',
    'intent.metadata.nothing == "x"',
    'intent.metadata.list == "x"',
    'intent.metadata.object == "x"',
    'intent.metadata.amount == "x"',
    'intent.metadata.text == 1',
    'intent.metadata.text > 1.0',
    'intent.metadata.yes == "true"',
    'intent.metadata.yes == 1',
    'intent.metadata.text && true',
    '!intent.metadata.amount',
    'intent.metadata.amount.startsWith("1")',
    'size(intent.metadata.amount) == 9',
    'intent.metadata.list.length == 9',
    'intent.metadata.text.length == 9',
    'intent.metadata.constructor == "x"',
    'intent.metadata.toString == "x"',
    'intent.metadata["__proto__"] == "x"',
    'intent.metadata.context.hasOwnProperty == "x"',
    'intent.metadata.amount in ["1500"]',
    'intent.metadata.text in [1]',
    'intent.metadata.text == intent.metadata.amount',
    'intent.metadata.yes < intent.metadata.no',
    'intent.metadata.text < intent.metadata.amount',
    'false && intent.metadata.missing == "x"',
    'intent.metadata.missing == "x" && false',
    'true == false && intent.metadata.amount == "x"',
    '!(intent.metadata.missing == "x" || true)',
  ])('%s', (source) => {
    expect(evaluate(source)).toBe('unreadable');
  });

  test('also without any metadata', () => {
    expect(evaluate('intent.metadata.amount == 1 && false', { system: 'erp' })).toBe('unreadable');
    expect(
      evaluate('intent.metadata.context.amount == 1', { system: 'erp', metadata: { context: null } }),
    ).toBe('unreadable');
  });

  test('but not if nothing that it names is missing', () => {
    expect(evaluate('intent.system == "crm"', { system: 'erp' })).toBe('skips');
    expect(evaluate('intent.metadata.text == intent.system')).toBe('skips');
    expect(evaluate('intent.metadata.amount == intent.metadata.half')).toBe('skips');
  });
});

describe('an error is never absorbed', () => {
  test.each([
    '1 / size(intent.metadata.e) == 1',
    '1 % size(intent.metadata.e) == 1',
    'false && 1 / size(intent.metadata.e) == 1',
    '1 / size(intent.metadata.e) == 1 && false',
    'true || 1 / size(intent.metadata.e) == 1',
    '1 / size(intent.metadata.e) == 1 || true',
    '!(1 / size(intent.metadata.e) == 1)',
    '1 / size(intent.metadata.e) in [1]',
    '-(size(intent.metadata.e) - 9223372036854775807 - 1) > 0',
    'size(intent.system) + 9223372036854775807 > 0',
    'size(intent.system) * 9223372036854775807 > 0',
    'size(intent.metadata.e) - 9223372036854775807 - 2 < 0',
    'intent.metadata.half / intent.metadata.zero > 1.0',
    'intent.metadata.zero / intent.metadata.zero > 1.0',
    'intent.metadata.big * intent.metadata.big > 1.0',
    'intent.metadata.big + intent.metadata.big > 1.0',
    '-intent.metadata.big - intent.metadata.big < 1.0',
    'timestamp(intent.system) < now',
    'timestamp(intent.metadata.local) < now',
    'timestamp(intent.metadata.year0) < now',
    'timestamp(intent.metadata.long) < now',
    'duration(intent.system) < duration("1s")',
    'duration(intent.metadata.e) < duration("1s")',
    'duration(intent.metadata.long) < duration("1s")',
    'duration(intent.metadata.huge) > duration("1s")',
    'duration(intent.metadata.large) + duration(intent.metadata.large) > duration("1s")',
    'now + duration("2540400h") - duration("-2540400h") > now && timestamp(intent.metadata.late) + duration("1s") > now',
    'timestamp(intent.metadata.early) - duration("1ns") < now',
  ])('%s', (source) => {
    const metadata = {
      ...INTENT.metadata,
      e: '',
      local: '2026-11-15T12:00:00',
      year0: '0000-12-31T23:59:59Z',
      long: `2026-11-15T12:00:00.${'0'.repeat(120)}Z`,
      huge: '2562048h',
      large: '2562047h',
      late: '9999-12-31T23:59:59.5Z',
      early: '0001-01-01T00:00:00Z',
    };
    expect(evaluate(source, { ...INTENT, metadata })).toBe('error');
  });
});

describe('unsupported syntax is refused, with its place and the fix', () => {
  test.each<[string, number, number, RegExp]>([
    ['', 1, 1, /ends too early/],
    ['   ', 1, 4, /ends too early/],
    ['intent.system ==', 1, 17, /ends too early/],
    ['intent.system == "a" )', 1, 22, /unexpected `\)`/],
    ['intent.system == "a" "b"', 1, 22, /unexpected string/],
    ['intent.system == ("a"', 1, 22, /`\)` is missing/],
    ['intent.system in ["a"', 1, 22, /`,` is missing/],
    ['intent.system in ["a" "b"]', 1, 23, /unexpected string/],
    ['intent.system = "a"', 1, 15, /write `==`/],
    ['intent.authorityFound & true', 1, 23, /write `&&`/],
    ['intent.authorityFound | true', 1, 23, /write `\|\|`/],
    ['intent.system == "a" §', 1, 22, /unexpected `§`/],
    ['"😀" == "😀" 😀', 1, 12, /unexpected `😀`/],
    ['intent.system == "a\nb"', 1, 18, /no closing `"`/],
    ["'''abc''", 1, 1, /no closing `'''`/],
    ['"\\q" == "q"', 1, 2, /`\\q` is not an escape/],
    ['"\\ud800" == "q"', 1, 2, /not an escape/],
    ['"\\udfff" == "q"', 1, 2, /not an escape/],
    ['"\\U00110000" == "q"', 1, 2, /not an escape/],
    ['"\\400" == "q"', 1, 2, /not an escape/],
    ['b"x" == b"x"', 1, 1, /bytes are not allowed/],
    ['5u == 5', 1, 1, /write `5`/],
    ['5x == 5', 1, 2, /unexpected `x` after a number/],
    ['1.5.5 == 1.5', 1, 4, /unexpected|no/],
    ['9223372036854775808 == 1', 1, 1, /beyond 64 bits/],
    ['-9223372036854775809 == 1', 1, 1, /beyond 64 bits/],
    ['1e400 == 1.0', 1, 1, /too large/],
    [
      'has(intent.metadata.x)',
      1,
      1,
      /no `has` for a member of `intent`: if a path is absent, a permit does not apply/,
    ],
    ['intent.metadata.x == null', 1, 22, /no `null`/],
    ['intent.authorityFound ? true : false', 1, 23, /no ternaries/],
    ['{"a": 1} == {"a": 1}', 1, 1, /no maps/],
    ['intent.metadata.x.exists_one(y, y)', 1, 19, /no `exists_one`/],
    ['intent.system.matches("e.*")', 1, 15, /no `matches`/],
    ['matches(intent.system, "e.*")', 1, 1, /no `matches`/],
    ['intent.system.lowerAscii() == "x"', 1, 15, /no method `lowerAscii`; known are/],
    ['intent.system.startswith("x")', 1, 15, /did you mean `startsWith`/],
    ['startsWith(intent.system, "x")', 1, 1, /after the text it searches/],
    ['string(intent.metadata.amount) == "1"', 1, 1, /no function `string`/],
    ['int(intent.metadata.amount) == 1', 1, 1, /no function `int`/],
    ['intent.system.startsWith()', 1, 15, /takes one text, found 0/],
    ['intent.system.startsWith("a", "b")', 1, 15, /takes one text, found 2/],
    ['size()', 1, 1, /takes one text, found 0/],
    ['size("a", "b") == 1', 1, 1, /takes one text, found 2/],
    ['evidence.x == 1', 1, 1, /knows `intent`, `facts` and `now`, not `evidence`/],
    ['Intent.system == "x"', 1, 1, /not `Intent`/],
    ['intent.sistem == "x"', 1, 1, /did you mean `system`/],
    ['intent.runId == "x"', 1, 1, /cannot read `intent.runId`/],
    ['intent.controlEvidence == "x"', 1, 1, /cannot read/],
    ['intent.requiredControls == "x"', 1, 1, /cannot read/],
    ['intent.schemaVersion == "x"', 1, 1, /cannot read/],
    ['intent.constructor == "x"', 1, 1, /cannot read/],
    ['intent == "x"', 1, 1, /`intent` is an object/],
    ['intent.metadata == "x"', 1, 1, /`intent.metadata` is an object/],
    ['intent.metadata.context == "x"', 1, 25, /cannot compare an object with a string/],
    ['intent.system.x == "x"', 1, 1, /`intent.system` is not an object/],
    ['intent.authorityFound.x == "x"', 1, 1, /is not an object/],
    ['intent.metadata.agent.x == "x"', 1, 1, /is a string and has no members/],
    ['intent.metadata.agent > 5', 1, 23, /cannot compare a string with an integer/],
    ['intent.metadata.a == 1 && intent.metadata.a.b == 1', 1, 27, /used as a value/],
    ['intent.metadata.in == 1', 1, 17, /reserved/],
    ['intent.5 == 1', 1, 7, /unexpected `0.5`/],
    ['intent. == 1', 1, 9, /unexpected `==`/],
    ['intent.metadata[0] == 1', 1, 1, /`intent.metadata` is an object and has no elements/],
    ['intent.metadata[intent.system] == 1', 1, 16, /name in quotes/],
    ['"abc"["a"] == 1', 1, 6, /name in quotes/],
    ['now.x == 1', 1, 5, /only `intent` and `facts` have members/],
    ['now[0] == 1', 1, 4, /name in quotes/],
    ['["a"] == ["a"]', 1, 1, /only follow `in`/],
    ['intent.system in []', 1, 18, /needs a list of literals/],
    ['intent.system in [intent.field]', 1, 19, /only literals/],
    ['intent.system in ["a", 1]', 1, 24, /a list holds one type/],
    ['intent.system in [1]', 1, 1, /`in` looks for an integer or a double, found a string/],
    ['now in ["a"]', 1, 1, /found a timestamp/],
    ['intent.metadata.amount * 2 > 3', 1, 24, /write `2.0` instead of `2`/],
    ['2 + intent.metadata.amount > 3', 1, 3, /write `2.0` instead of `2`/],
    ['size(intent.system) * 1.5 > 3', 1, 21, /for the size of a list write `LIST\.map\(x, 1\.0\)\.sum\(\)`/],
    ['facts.r.price * facts.r.bags.size() > 3.0', 1, 15, /for the size of a list write/],
    ['facts.r.price * 2 + facts.r.bags.size() > 3.0', 1, 15, /write `2.0` instead of `2`/],
    ['intent.metadata.amount % 2 == 0', 1, 24, /takes integers/],
    ['2.0 % 2.0 == 0.0', 1, 5, /takes integers/],
    ['intent.system + "x" == "erpx"', 1, 15, /`\+` cannot take a string and a string/],
    ['intent.system - 1 == 1', 1, 15, /cannot take a string and an integer/],
    ['-intent.system == "x"', 1, 2, /`-` needs a number, found a string/],
    ['!intent.system', 1, 2, /`!` needs a boolean, found a string/],
    ['intent.system && true', 1, 1, /`&&` needs booleans, found a string/],
    ['true || 1', 1, 9, /`\|\|` needs booleans, found an integer/],
    ['intent.system', 1, 1, /must be true or false, found a string/],
    ['1 + 1', 1, 3, /must be true or false, found an integer/],
    ['now', 1, 1, /must be true or false, found a timestamp/],
    ['intent.system == 1', 1, 15, /cannot compare a string with an integer/],
    ['intent.system == true', 1, 15, /cannot compare a string with a boolean/],
    ['intent.authorityFound < true', 1, 23, /cannot compare a boolean/],
    ['1 < 2 < 3', 1, 7, /cannot compare a boolean with an integer/],
    ['now > intent.metadata.at', 1, 5, /write `timestamp\(...\)`/],
    ['now > "2026-01-01T00:00:00Z"', 1, 5, /write `timestamp\(...\)`/],
    ['now - 5 > now', 1, 5, /write `timestamp/],
    ['now + now > now', 1, 5, /cannot take a timestamp and a timestamp/],
    ['duration("1s") - now > now', 1, 16, /cannot take a duration and a timestamp/],
    ['duration("1s") == now', 1, 16, /cannot compare a duration with a timestamp/],
    ['timestamp(5) < now', 1, 11, /`timestamp` needs a string, found an integer/],
    ['timestamp(now) == now', 1, 11, /`timestamp` needs a string/],
    ['duration(intent.authorityFound) == duration("1s")', 1, 10, /needs a string, found a boolean/],
    ['size(intent.authorityFound) == 1', 1, 6, /needs a string/],
    ['intent.system.contains(1)', 1, 24, /needs a string/],
    ['5.startsWith("x")', 1, 1, /`startsWith` needs a string/],
    ['intent.system.startsWith("a",)', 1, 30, /unexpected `\)`/],
    ['intent.system in [,]', 1, 19, /unexpected `,`/],
    ['timestamp("2026-02-30T00:00:00Z") < now', 1, 1, /`timestamp` of this text fails every time/],
    ['now - timestamp("x") > duration("y")', 1, 7, /fails every time/],
    ['1 / 0 == 1', 1, 3, /this `\/` fails every time/],
    ['1 % 0 == 1', 1, 3, /this `%` fails every time/],
    ['-(-9223372036854775808) > 0', 1, 1, /this `-` fails every time/],
    ['1.0 / 0.0 > 1.0', 1, 5, /fails every time/],
    [
      'intent.metadata.a == intent.metadata.b && intent.metadata.a == "x" && intent.metadata.b == 1',
      1,
      89,
      /cannot compare a string/,
    ],
  ])('%s', (source, line, column, message) => {
    expect(faultsOf(source)[0]).toEqual({ line, column, message: expect.stringMatching(message) });
  });

  test('with all errors, in order of place', () => {
    const faults = faultsOf('intent.b == 1 &&\n intent.system == 1 &&\n\n  intent.a == 1');
    expect(faults.map(({ line, column }) => [line, column])).toEqual([
      [1, 1],
      [2, 16],
      [4, 3],
    ]);
    expect(faultsOf('1 / 0 == 1 && timestamp("x") == now')).toHaveLength(2);
  });
});

describe('limits', () => {
  test('2,000 characters, counted as code points', () => {
    const filled = (length: number, character: string) => `"${character.repeat(length - 8)}" != ""`;
    expect(faultsOf(filled(2_000, 'a'))).toEqual([]);
    expect(faultsOf(filled(2_000, '😀'))).toEqual([]);
    expect(faultsOf(filled(2_001, 'a'))).toMatchObject([
      { message: expect.stringContaining('2000 characters') },
    ]);
    expect(faultsOf(filled(2_001, '😀'))).toMatchObject([
      { message: expect.stringContaining('2000 characters') },
    ]);
    expect(faultsOf(filled(9_000, 'a'))).toMatchObject([
      { message: expect.stringContaining('2000 characters') },
    ]);
  });

  test.each<[string, (depth: number) => string]>([
    ['parentheses', (depth) => `${'('.repeat(depth)}true${')'.repeat(depth)}`],
    ['calls within parentheses', (depth) => `${'('.repeat(depth - 1)}size("a") == 1${')'.repeat(depth - 1)}`],
    ['method calls', (depth) => `${'('.repeat(depth - 1)}"a".size() == 1${')'.repeat(depth - 1)}`],
    ['lists', (depth) => `${'('.repeat(depth - 1)}1 in [1]${')'.repeat(depth - 1)}`],
    ['member brackets', (depth) => `${'('.repeat(depth - 1)}intent["system"] == "a"${')'.repeat(depth - 1)}`],
  ])('32 levels of %s', (_name, nested) => {
    expect(faultsOf(nested(32))).toEqual([]);
    expect(faultsOf(nested(33))).toMatchObject([{ message: expect.stringContaining('nested 32 deep') }]);
  });

  test('brackets side by side and in strings are not nested', () => {
    expect(faultsOf(Array.from({ length: 100 }, () => '(true)').join('&&'))).toEqual([]);
    expect(faultsOf(`"${'('.repeat(100)}" != ""`)).toEqual([]);
  });

  test('32 signs in a row', () => {
    expect(faultsOf(`${'!'.repeat(32)}true`)).toEqual([]);
    expect(faultsOf(`${'!'.repeat(33)}true`)).toMatchObject([
      { column: 1, message: expect.stringContaining('too many signs') },
    ]);
  });

  test('32 members in a path', () => {
    const path = (members: number) => `intent.metadata${'.a'.repeat(members - 1)} == 1`;
    expect(faultsOf(path(32))).toEqual([]);
    expect(faultsOf(path(33))).toMatchObject([{ message: expect.stringContaining('32 members') }]);
  });
});

describe('a budget', () => {
  const compiled = compileCondition('intent.agentValue.contains(intent.authorityValue)');
  const { evaluate: contains } =
    compiled.kind === 'condition' ? compiled.condition : { evaluate: () => 'error' as const };
  const intent: WriteIntent = {
    system: 's',
    agentValue: 'a'.repeat(16_000),
    authorityValue: `${'a'.repeat(8_000)}b`,
  };

  // cost.test.ts checks these units against the clock; here they must not change unnoticed.
  test.each([
    ['true', 16],
    ['-1 < 2', 48],
    ['intent.system == "erp"', 64],
    ['intent.agentValue == "aaaaaaaaaaaaaaaaaaaaaaaa"', 67],
    ['intent.system in ["a", "b", "c"]', 99],
    ['intent.system < "zzz"', 70],
    ['intent.agentValue.startsWith("a")', 66],
    ['size(intent.agentValue) > 3', 240],
    ['intent.agentValue.contains("ab")', 392],
    ['intent.agentValue.contains(intent.metadata.n)', 6_160],
    ['timestamp(intent.metadata.t) < now', 280],
    ['duration(intent.metadata.d) > duration("1h")', 296],
  ])('is charged by %s with %d, and that is exactly enough', (source, cost) => {
    const metadata = { t: '2026-11-15T12:00:00Z', n: 'a'.repeat(300), d: '90m' };
    const charged: WriteIntent = { system: 'erp', agentValue: 'a'.repeat(80), metadata };
    const result = compileCondition(source);
    if (result.kind !== 'condition') throw new Error(JSON.stringify(result.faults));
    const enough = { left: cost };
    expect(result.condition.evaluate(charged, 0, enough)).not.toBe('error');
    expect(enough.left).toBe(0);
    expect(result.condition.evaluate(charged, 0, { left: cost - 1 })).toBe('error');
  });

  test('that is used up is an error, and stays used up', () => {
    expect(contains(intent, 0)).toBe('skips');
    const budget = newConditionBudget();
    const results = Array.from({ length: 200 }, () => contains(intent, 0, budget));
    expect(results[0]).toBe('skips');
    expect(results.at(-1)).toBe('error');
    expect(results.lastIndexOf('skips')).toBeLessThan(results.indexOf('error'));
    expect(contains({ system: 's', agentValue: 'a', authorityValue: 'a' }, 0, budget)).toBe('error');
  });

  test('is spent by reading a time or a duration', () => {
    for (const source of [
      'timestamp(intent.agentValue) < now',
      'duration(intent.agentValue) < duration("1s")',
    ]) {
      const result = compileCondition(source);
      if (result.kind === 'invalid') throw new Error(source);
      const readable = { system: 's', agentValue: source.startsWith('t') ? '2026-01-01T00:00:00Z' : '1h' };
      const budget = newConditionBudget();
      expect(result.condition.evaluate(readable, 0, budget)).not.toBe('error');
      const spent = CONDITION_BUDGET - budget.left;
      expect(spent).toBeGreaterThanOrEqual(200);
      expect(result.condition.evaluate(readable, 0, { left: spent })).not.toBe('error');
      expect(result.condition.evaluate(readable, 0, { left: spent - 1 })).toBe('error');
    }
  });

  test('is spent by every operation that looks at text', () => {
    for (const source of [
      'intent.agentValue == intent.authorityValue',
      'intent.agentValue < intent.authorityValue',
      'intent.agentValue in ["a"]',
      'size(intent.agentValue) == 1',
      'intent.agentValue.startsWith(intent.authorityValue)',
      'intent.agentValue.endsWith(intent.authorityValue)',
      'intent.agentValue.contains("x")',
      'intent.agentValue.contains(intent.authorityValue)',
    ]) {
      const result = compileCondition(source);
      if (result.kind === 'invalid') throw new Error(source);
      const spent = (value: WriteIntent) => {
        const budget = newConditionBudget();
        result.condition.evaluate(value, 0, budget);
        return CONDITION_BUDGET - budget.left;
      };
      const short = spent({ system: 's', agentValue: 'a', authorityValue: 'a' });
      expect(spent(intent) - short, source).toBeGreaterThanOrEqual(1_000);
      const tight = { left: short };
      expect(result.condition.evaluate(intent, 0, tight), source).toBe('error');
      expect(result.condition.evaluate({ system: 's' }, 0, { left: 0 }), source).toBe('error');
    }
  });
});

describe('an impossible comparison is reported with the fix', () => {
  const TIMES = ': an intent holds times as strings, write `timestamp(...)` or `duration(...)` around one';
  test.each<[string, readonly string[]]>([
    ['now == 1', [`1:5 \`==\` cannot compare a timestamp with an integer${TIMES}`]],
    ['"a" == 1', ['1:5 `==` cannot compare a string with an integer']],
    ['now + "a" == now', [`1:5 \`+\` cannot take a timestamp and a string${TIMES}`]],
    ['1 + "a" == 1', ['1:3 `+` cannot take an integer and a string']],
    ['"a" in [1]', ['1:1 `in` looks for an integer or a double, found a string']],
    ['intent.system in ["a", 1]', ['1:24 an integer in a list of others: a list holds one type']],
    [
      '7.0 % 2.0 == 1.0',
      [
        '1:5 `%` cannot take a double and a double: it takes integers, and the numbers of an intent are doubles',
      ],
    ],
    [
      '1 == "a" && "b" == 2',
      [
        '1:3 `==` cannot compare an integer with a string',
        '1:17 `==` cannot compare a string with an integer',
      ],
    ],
    ['"a\nb" == "c"', ['1:1 the string has no closing `"`']],
    ['"a\rb" == "c"', ['1:1 the string has no closing `"`']],
  ])('%s', (source, faults) => {
    expect(faultsOf(source).map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual(
      faults,
    );
  });

  test('errors come in the order of the text, whatever order they are found in', () => {
    const source = 'intent.metadata.a.b == 1 && intent.metadata.a == 1 && intent.wrong == 1';
    const places = faultsOf(source).map(({ column }) => column);
    expect(places.length).toBeGreaterThan(1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});
