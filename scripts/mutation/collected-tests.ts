/** Stands in for `vitest` where mutants are tried: collects the tests of the files that are imported, to be run again and again. */
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

/** Imports a test file and hands out what it declares. */
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
  // `test(name, options, body)` as well as `test(name, body, timeout)`; Stryker has its own idea of time.
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

/** Rows are told apart by their number: the values in a title are for people. */
const each =
  (declare: Declare) =>
  (rows: readonly unknown[]) =>
  (name: string, ...rest: readonly unknown[]) => {
    const body = rest.find((one) => typeof one === 'function') as Body;
    for (const [at, row] of rows.entries()) {
      declare(`${name} [${at}]`, () => body(...((Array.isArray(row) ? row : [row]) as never[])));
    }
  };

const test = Object.assign(declareTest, { each: each(declareTest) });
const describe = Object.assign(describeGroup, { each: each(describeGroup as Declare) });
const beforeEach = (hook: Hook) => groups.at(-1)!.before.push(hook);
const afterEach = (hook: Hook) => groups.at(-1)!.after.push(hook);

export { afterEach, beforeEach, describe, expect, test as it, test, vi };
