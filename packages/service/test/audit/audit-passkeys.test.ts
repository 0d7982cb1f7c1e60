/**
 * Signed verdicts as an auditor sees them: `audit verify` checks each without the service, and names its passkey.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBase64, encodeBase64, parseExportLine } from '@writecheck/ledger';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { callWritecheck } from '../call-writecheck.ts';
import { batchAssertion, join as joinAs, type Member, say, sign } from '../people/people-kit.ts';
import { openReviewKit, pack, type ReviewKit } from '../reviews/reviews-kit.ts';
import { exportOf, newFolder, verdictOf } from './audit-kit.ts';

let kit: ReviewKit;
let ada: Member;
let keys: string;
const SIGNED = { assurance: 'attested', review: { identity: 'passkey' } };

beforeAll(async () => {
  kit = await openReviewKit();
  ada = await joinAs(kit.service);
  await kit.applyPolicy([pack({ approval: SIGNED })]);
  kit.nowMs += 60_000;
  keys = (await ask(`${kit.service.url}/v1/audit/key`)).text;
  const one = await kit.opened();
  expect((await sign(kit.service, ada, one.review)).body.review.state).toBe('approved');
  const two = [await kit.opened(), await kit.opened()].map(({ review }) => review);
  const assertion = batchAssertion(kit.service, ada, two);
  for (const review of two) {
    expect((await sign(kit.service, ada, review, { assertion })).body.review.state).toBe('approved');
  }
});
afterAll(() => kit.service.stop());

test('a stolen session cannot approve where a passkey is required', async () => {
  const { review } = await kit.opened();
  const reply = await say(kit.service, ada, review);
  expect([reply.status, reply.body.error.code]).toEqual([403, 'identity_too_weak']);
});

test('`audit verify` names the passkey, when it was registered and on whose invitation, also in a filtered export', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'audit.key'), keys);
  for (const query of [{}, { from: new Date(kit.nowMs - 1).toISOString() }]) {
    const file = join(folder, 'export.ndjson');
    writeFileSync(file, `${(await exportOf(kit.service, query)).join('\n')}\n`);
    const { stdout, code } = await callWritecheck([
      'audit',
      'verify',
      file,
      '--keys',
      join(folder, 'audit.key'),
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('3 verdicts were signed by 1 passkey, and every signature is valid');
    expect(stdout).toMatch(
      new RegExp(
        `passkey \`${ada.device.credentialId}\` of \`${ada.id}\`: registered 20\\S+Z on the invitation of owner_key \`key_`,
      ),
    );
  }
  expect(readFileSync(join(folder, 'export.ndjson'), 'utf8')).not.toContain('Person 1');
});

/**
 * Forges what somebody with the database and the log's key could forge. The tree is not rebuilt here, so only the
 * texts differ.
 */
test('a verdict that was changed in the log fails by name', async () => {
  const lines = await exportOf(kit.service);
  expect(await verdictOf(lines, { keys })).toMatchObject({ ok: true });
  const at = lines.findIndex((line) => {
    const read = parseExportLine(line);
    return read?.kind === 'entry' && textOf(read.leaf).includes('"event":"verdict"');
  });
  const line = JSON.parse(lines[at]!);
  line.leaf = encodeBase64(
    Buffer.from(textOf(line.leaf).replace('"verdict":"approve"', '"verdict":"reject"')),
  );
  const forged = lines.with(at, JSON.stringify(line));
  expect(await verdictOf(forged, { keys })).toMatchObject({
    ok: false,
    fault: { code: 'assertion_invalid', line: at + 1, message: expect.stringContaining(`\`${ada.id}\``) },
  });
});

function textOf(leaf: string): string {
  return Buffer.from(decodeBase64(leaf)!).toString();
}
