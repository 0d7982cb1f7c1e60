/** Reports share their commit with checks, which wait for every statement. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idOf, newWorkspace } from '../../test/store-contract/store-contract-values.ts';
import { onServer, startTestServer } from '../../test/test-postgres.ts';
import type { NewOutcome } from '../port/outcomes.ts';
import type { Store } from '../port.ts';
import { queryOn } from '../postgres/connection.ts';
import { openPostgresStore } from '../postgres/postgres-store.ts';
import { runStatements } from '../postgres/run-operation.ts';
import { prepareFirstOutcomes } from '../sqlite/first-outcomes.ts';
import { createDatabase } from '../sqlite/open-database.ts';
import { prepareSteps } from '../sqlite/run-operation.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import type { Write } from './operation.ts';
import { type JudgedOutcomes, judgeOutcomes } from './outcomes.ts';

interface Tables {
  open(): Promise<Store>;
  judge(wishes: readonly NewOutcome[]): Promise<JudgedOutcomes & { readonly statements: number }>;
  remove(): Promise<void>;
}

/** Passes every step on, and counts the statements. */
function* counting(judging: Write<JudgedOutcomes>): Write<JudgedOutcomes & { readonly statements: number }> {
  let statements = 0;
  let step = judging.next([]);
  while (step.done !== true) {
    if (step.value.kind === 'statement') statements += 1;
    step = judging.next(yield step.value);
  }
  return { ...step.value, statements };
}

function onSqlite(): Tables {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-outcomes-'));
  return {
    open: () => openSqliteStore(folder),
    async judge(wishes) {
      const db = createDatabase(folder);
      try {
        return prepareSteps(db, 'log_1', null)(counting(judgeOutcomes(wishes, prepareFirstOutcomes(db))));
      } finally {
        db.close();
      }
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function onPostgres(): Promise<Tables> {
  const server = await startTestServer();
  const url = await server.newDatabase();
  return {
    open: () => openPostgresStore(url),
    judge: (wishes) =>
      onServer(url, async (client) => {
        const { result } = await runStatements(queryOn(client), {}, counting(judgeOutcomes(wishes)));
        return result;
      }),
    remove: () => server.remove(),
  };
}

describe.each([
  ['SQLite', async () => onSqlite()],
  ['PostgreSQL', onPostgres],
] as const)('on %s', (_, start) => {
  let tables: Tables;
  let workspace: string;
  let keyIds: readonly string[];
  beforeAll(async () => {
    tables = await start();
    const made = newWorkspace();
    workspace = made.workspace.id;
    keyIds = made.keys.map(({ id }) => id);
    const store = await tables.open();
    await store.createWorkspace(made.workspace, made.keys);
    await store.close();
  });
  afterAll(() => tables.remove());

  const wish = (decisionId: string, result: NewOutcome['result'], note: string, key = 0): NewOutcome => ({
    ...{ workspace, decisionId, result, atMs: 1_000, recordedAtMs: 1_000, note, ref: null },
    by: { kind: 'owner_key', id: keyIds[key % keyIds.length]! },
  });
  const kindsOf = ({ recorded }: JudgedOutcomes) => [...new Set(recorded.map(({ kind }) => kind))];

  test('256 repeated reports in one commit cost as many statements as one, and all get the recorded outcome', async () => {
    const ids = Array.from({ length: 64 }, () => idOf('dec_', 1_000));
    const first = await tables.judge(ids.map((id) => wish(id, 'unknown', `first ${id}`)));
    expect([first.changed.size, kindsOf(first)]).toEqual([64, ['recorded']]);
    const one = await tables.judge([wish(ids[0]!, 'unknown', 'again')]);
    const again = Array.from({ length: 256 }, (_each, i) => wish(ids[i % 64]!, 'unknown', 'again', i));
    const many = await tables.judge(again);
    expect([many.changed.size, many.statements]).toEqual([0, one.statements]);
    const notes = many.recorded.map((each) => each.kind === 'recorded' && each.outcome.note);
    expect(notes).toEqual(again.map(({ decisionId }) => `first ${decisionId}`));
    // A plain first report costs only its insert and the lookup of its key.
    const plain = await tables.judge([wish(idOf('dec_', 1_000), 'done', 'plain')]);
    expect(plain.statements).toBeLessThan(one.statements);
    const single = await tables.judge([wish(ids[0]!, 'done', 'changed')]);
    const changed = await tables.judge(ids.slice(1).map((id) => wish(id, 'done', 'changed')));
    expect([changed.changed.size, changed.statements]).toEqual([63, single.statements]);
    expect(kindsOf(await tables.judge(ids.map((id) => wish(id, 'failed', 'no'))))).toEqual(['other_result']);
  });

  test('several reports of one decision in one commit are judged in the order of their arrival', async () => {
    const id = idOf('dec_', 1_000);
    const wishes = [
      wish(id, 'unknown', '1'),
      wish(id, 'unknown', '2'),
      wish(id, 'done', '3'),
      wish(id, 'done', '4'),
      wish(id, 'failed', '5'),
      wish(id, 'unknown', '6'),
    ];
    const { recorded, changed } = await tables.judge(wishes);
    expect(recorded.map((each) => (each.kind === 'recorded' ? each.outcome.note : each.kind))).toEqual([
      ...['1', '1', '3', '3', 'other_result', 'other_result'],
    ]);
    expect([...changed]).toEqual([wishes[0], wishes[2]]);
    const after = await tables.judge([wish(id, 'done', '7')]);
    expect(after.recorded).toMatchObject([{ kind: 'recorded', outcome: { result: 'done', note: '3' } }]);
  });
});
