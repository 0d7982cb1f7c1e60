/** Replaces `vitest` in mutation runs: collects the tests of imported files, so that they can run many times. */
import { expect, vi } from 'vitest';

type Body = (...args: never[]) => unknown;
type Hook = () => unknown;

export interface CollectedTest {
  readonly id: string;
  readonly file: string;
  readonly run: () => Promise<void>;
}

interface Group {
  readonly name: string;
  readonly before: Hook[];
  readonly after: Hook[];
}

const collected: CollectedTest[] = [];
const taken = new Map<string, number>();
let file = '';
let groups: Group[] = [];

/** Imports a test file and returns its tests. */
export async function collect(path: string, load: () => Promise<unknown>): Promise<readonly CollectedTest[]> {
  file = path;
  groups = [{ name: '', before: [], after: [] }];
  collected.length = 0;
  await load();
  return [...collected];
}

function describeGroup(name: string, body: Hook): void {
  const outer = groups;
  groups = [...groups, { name, before: [], after: [] }];
  body();
  groups = outer;
}

function declareTest(name: string, ...rest: readonly unknown[]): void {
  // Accepts `test(name, options, body)` and `test(name, body, timeout)`; ignores timeouts, because Stryker has its own.
  const body = rest.find((one) => typeof one === 'function') as Hook;
  const within = groups;
  const title = [...within.map((group) => group.name), name].filter((part) => part !== '').join(' > ');
  const count = (taken.get(`${file} ${title}`) ?? 0) + 1;
  taken.set(`${file} ${title}`, count);
  const run = async () => {
    for (const { before } of within) for (const hook of before) await hook();
    try {
      await body();
    } finally {
      for (const { after } of within.toReversed()) for (const hook of after) await hook();
    }
  };
  collected.push({ id: `${file} > ${title}${count > 1 ? ` (${count})` : ''}`, file, run });
}

type Declare = (name: string, ...rest: readonly unknown[]) => void;

/** Numbers identify rows, because titles may repeat. */
const each =
  (declare: Declare) =>
  (rows: readonly unknown[]) =>
  (name: string, ...rest: readonly unknown[]) => {
    const body = rest.find((one) => typeof one === 'function') as Body;
    // A list among other values is a value, as in vitest.
    const areLists = rows.every((row) => Array.isArray(row));
    for (const [at, row] of rows.entries()) {
      declare(`${name} [${at}]`, () => body(...((areLists ? row : [row]) as never[])));
    }
  };

const test = Object.assign(declareTest, { each: each(declareTest) });
const describe = Object.assign(describeGroup, { each: each(describeGroup as Declare) });
const beforeEach = (hook: Hook) => groups.at(-1)!.before.push(hook);
const afterEach = (hook: Hook) => groups.at(-1)!.after.push(hook);

export { afterEach, beforeEach, describe, expect, test as it, test, vi };
