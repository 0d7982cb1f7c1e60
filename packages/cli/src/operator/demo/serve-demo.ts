/** `writecheck serve --demo`: a workspace to look around in, on a store of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releasePorts, takePorts } from '@writecheck/service/edge/listen';
import { configOf } from '@writecheck/service/runtime/threads/config-of';
import { listenFailure } from '@writecheck/service/runtime/threads/start-failure';
import type { Flags } from '@writecheck/service/support/config/load-config';
import type { Config } from '@writecheck/service/support/config/settings';
import { shownOwnerKey } from '../announce.ts';
import { serve } from '../serve.ts';
import { askAgainOnceJoined } from './ask-again.ts';
import { type Demo, fillDemo, refuseUnlessNew, urlOf } from './fill-demo.ts';

/** INVARIANT: only a folder that the user names, or a temporary one; WRITECHECK_DATA names the real store. */
export async function serveDemo(flags: Flags): Promise<void> {
  const isTemporary = flags.data === undefined;
  const data = flags.data ?? mkdtempSync(join(tmpdir(), 'writecheck-demo-'));
  if (isTemporary) process.once('exit', () => rmSync(data, { recursive: true, force: true }));
  const own = { ...flags, data };
  const config = configOf(own);
  await refuseUnlessNew(config);
  await refuseUnlessFree(config);
  process.stdout.write('Making up a week of decisions, which takes a few seconds …\n');
  const demo = await fillDemo(config);
  const isTerminal = process.stdout.isTTY === true;
  const ownerKey = shownOwnerKey(demo.ownerKey, data);
  await serve(own);
  process.stdout.write(demoGreeting(demo, config, ownerKey, isTerminal, isTemporary));
  void askAgainOnceJoined(demo, `http://localhost:${config.port}`);
}

/** Fails now rather than after the week is made up, which would then be lost or in the way. */
async function refuseUnlessFree(config: Config): Promise<void> {
  try {
    releasePorts(await takePorts(config));
  } catch (error) {
    throw listenFailure(error, config);
  }
}

function demoGreeting(
  { invitationToken }: Demo,
  config: Config,
  ownerKey: string,
  isTerminal: boolean,
  isTemporary: boolean,
): string {
  const url = urlOf(config);
  // An invitation is as secret as a key.
  const passkey = isTerminal
    ? `
Bank details need a reviewer with a passkey. Join as Dana, then reject V-1016 with a touch:

  ${url}/invitation${invitationToken}
`
    : '\nBank details need a reviewer with a passkey: open People and invite Dana again.\n';
  const end = isTemporary ? ' It is deleted when the service stops.' : '';
  return `
This is a demo workspace: nothing in it is real.${end}

  console    ${url}/
  owner key  ${ownerKey}
${passkey}
The overview opens with what was stopped today: an IBAN of vendor V-1016 with one foreign letter.
`;
}
