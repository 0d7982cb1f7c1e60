import { describe, expect, it } from 'vitest';
import { mixedEntries, TestLog } from '../test/test-log.ts';
import { LogReplay } from './log-replay.ts';
import { leafHash } from './merkle-hash.ts';
import { sha256 } from './sha256.ts';

const log = new TestLog(mixedEntries(4));
const other = new TestLog(mixedEntries(4, 'w2'), 'w2');
const hashes = log.entries.map(({ bytes }) => leafHash(bytes));
function checkpoint(size: number, of = log) {
  return { log: 'w1', size, root: of.root(size) };
}
function replay(size = 4) {
  return new LogReplay(checkpoint(size), sha256);
}

function appended(one: LogReplay, count: number): LogReplay {
  for (let at = 0; at < count; at += 1) expect(one.append(at, hashes[at]!)).toBeNull();
  return one;
}

describe('a log replayed', () => {
  it('has no error if it is whole and passes every known checkpoint', () => {
    const one = replay();
    for (const size of [0, 2, 4]) expect(one.expect(checkpoint(size))).toBeNull();
    expect(one.start()).toBeNull();
    appended(one, 4);
    expect(one.finish()).toBeNull();
  });

  it('may hold checkpoints among its entries, each right after those it covers', () => {
    const one = appended(replay(), 2);
    expect(one.checkHere(checkpoint(2))).toBeNull();
    expect(one.checkHere(checkpoint(3))).toEqual({
      code: 'misplaced_checkpoint',
      message: 'a checkpoint of 3 entries stands after 2',
    });
    expect(one.checkHere(checkpoint(2, other))).toEqual({
      code: 'forked',
      message: 'forked: two different logs of 2 entries are signed',
    });
    expect(appended(replay(), 2).checkHere(checkpoint(2, other))).toEqual({
      code: 'root_mismatch',
      message:
        'the first 2 entries are not those that were signed; the difference lies between entries 0 and 1',
      index: 1,
    });
  });
});

describe('a log that is not the one signed', () => {
  it('is rolled back if more entries were known', () => {
    expect(replay(3).expect(checkpoint(4))).toEqual({
      code: 'rolled_back',
      message: 'rolled back: a checkpoint of 4 entries is known, the export ends at 3',
    });
  });

  it('is forked if two roots of one size are signed', () => {
    expect(replay().expect(checkpoint(4, other))).toEqual({
      code: 'forked',
      message: 'forked: two different logs of 4 entries are signed',
    });
  });

  it('has its entries in order and no more than were signed', () => {
    expect(appended(replay(), 1).append(2, hashes[2]!)).toEqual({
      code: 'wrong_index',
      message: 'entry 2 appears in place of entry 1: entries are missing, doubled or swapped',
      index: 2,
    });
    expect(appended(replay(2), 2).append(2, hashes[2]!)).toEqual({
      code: 'wrong_index',
      message: 'the checkpoint covers only 2 entries',
      index: 2,
    });
  });

  it('is detected at the first checkpoint after the change, with the place narrowed down', () => {
    const one = replay();
    expect(one.expect(checkpoint(1))).toBeNull();
    expect(one.expect(checkpoint(3))).toBeNull();
    appended(one, 1);
    expect(one.append(1, hashes[2]!)).toBeNull();
    expect(one.append(2, hashes[2]!)).toEqual({
      code: 'root_mismatch',
      message:
        'the first 3 entries are not those that were signed; the difference lies between entries 1 and 2',
      index: 2,
    });
  });

  it('has another root if it is empty', () => {
    const one = replay();
    expect(one.expect({ log: 'w1', size: 0, root: log.root(1) })).toBeNull();
    expect(one.start()).toEqual({
      code: 'root_mismatch',
      message: 'the checkpoint of the empty log has another root',
    });
  });

  it('is incomplete if it ends early', () => {
    expect(appended(replay(), 3).finish()).toEqual({
      code: 'incomplete',
      message: 'only 3 of the 4 entries are there',
    });
  });
});
