/** `writecheck keys ...`: keys managed directly on the store, without HTTP. */
import { GRACE_SECONDS_MAX, label, moment, name as nameField } from '@writecheck/api';
import type { ServiceRole } from '@writecheck/contract';
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import type { Refusal } from '@writecheck/service/exchange/refusal';
import {
  createKey,
  faultsOfWish,
  type IssuedKey,
  revokeKey,
  rotateKey,
} from '@writecheck/service/features/keys/manage-keys';
import { shownKey } from '@writecheck/service/features/keys/shown-key';
import { wholeNumber } from '@writecheck/service/support/config/parse-setting';
import type { KeyKind, StoredKey } from '@writecheck/store/port';
import { inWorkspace, print, type WorkspaceOption } from './store-commands.ts';
import { operator } from './the-operator.ts';

export interface CreateKeyOptions extends WorkspaceOption {
  readonly kind: KeyKind;
  readonly name: string;
  readonly expiresAt?: string;
  readonly system?: readonly string[];
  readonly workflow?: readonly string[];
  readonly role?: readonly ServiceRole[];
}

const FLAGS: { readonly [member: string]: string } = {
  expiresAt: '--expires-at',
  allowedSystems: '--system',
  allowedWorkflows: '--workflow',
  roles: '--role',
};

export async function createKeyCommand(options: CreateKeyOptions): Promise<void> {
  const nowMs = Date.now();
  const faults: string[] = [];
  for (const [place, text, field] of [
    ['--name', options.name, label],
    ...(options.system ?? []).map((each) => ['--system', each, nameField] as const),
    ...(options.workflow ?? []).map((each) => ['--workflow', each, nameField] as const),
  ] as const) {
    const read = field.read(text);
    if ('fault' in read) faults.push(`${place} ${read.fault}`);
  }
  let expiresAtMs: number | undefined;
  if (options.expiresAt !== undefined) {
    const read = moment.read(options.expiresAt);
    if ('fault' in read) faults.push(`--expires-at ${read.fault}`);
    else expiresAtMs = read.value;
  }
  const wish = {
    kind: options.kind,
    name: options.name,
    expiresAtMs,
    allowedSystems: options.system,
    allowedWorkflows: options.workflow,
    roles: options.role,
  };
  for (const { member, fault } of faultsOfWish(wish, nowMs)) faults.push(`${FLAGS[member]} ${fault}`);
  if (faults.length > 0) throw new CommandFailure(listFaults('the key cannot be created:', faults));
  await inWorkspace(options, async (store, workspace, { plan }) => {
    const made = await createKey({ store, plan, workspace, nowMs, by: operator() }, wish);
    print(...shownOnce(made));
  });
}

export async function listKeysCommand(options: WorkspaceOption & { readonly json: boolean }): Promise<void> {
  await inWorkspace(options, async (store, workspace) => {
    const keys = await store.listKeys(workspace);
    if (options.json) return print(JSON.stringify({ keys: keys.map(shownKey) }, null, 2));
    for (const key of keys) print(described(key, Date.now()));
  });
}

export interface RevokeKeyOptions extends WorkspaceOption {
  readonly all?: boolean;
  readonly except?: readonly string[];
  readonly yes?: boolean;
}

export async function revokeKeyCommand(options: RevokeKeyOptions, id: string | undefined): Promise<void> {
  const { all = false, except = [] } = options;
  if (all === (id !== undefined))
    throw new CommandFailure('name the key to revoke, or all of them with --all, not both');
  if (!all && except.length > 0) throw new CommandFailure('--except goes with --all');
  if (id === undefined) return revokeAll(options, except);
  await inWorkspace(options, async (store, workspace) => {
    const outcome = await revokeKey({ store, workspace, nowMs: Date.now(), by: operator() }, id);
    if (outcome.kind === 'refused') throw new CommandFailure(outcome.message);
    print(`${id} is revoked`);
  });
}

/**
 * Used after a compromise, when it is unknown which keys leaked. Owner keys come last, so that one of them can stay.
 */
async function revokeAll(options: RevokeKeyOptions, except: readonly string[]): Promise<void> {
  const { yes = false } = options;
  await inWorkspace(options, async (store, workspace) => {
    const keys = await store.listKeys(workspace);
    const unknown = except.filter((id) => !keys.some((key) => key.id === id));
    if (unknown.length > 0)
      throw new CommandFailure(
        `there is no key ${unknown.map((id) => `\`${id}\``).join(', ')}; nothing was revoked`,
      );
    const wanted = keys.filter((key) => key.revokedAtMs === null && !except.includes(key.id));
    if (except.length === 0 && !yes) {
      for (const key of wanted) print(described(key, Date.now()));
      throw new CommandFailure(
        'nothing was revoked; name an owner key that stays with --except, or revoke all of these with --yes: then one owner key stays, perhaps the stolen one',
      );
    }
    const left: string[] = [];
    for (const { id } of wanted.toSorted((a, b) => Number(a.kind === 'owner') - Number(b.kind === 'owner'))) {
      const outcome = await revokeKey({ store, workspace, nowMs: Date.now(), by: operator() }, id);
      if (outcome.kind === 'refused') left.push(`${id} still works: ${outcome.message}`);
      else print(`${id} is revoked`);
    }
    if (left.length > 0) throw new CommandFailure(left.join('\n'));
  });
}

export interface RotateKeyOptions extends WorkspaceOption {
  readonly graceSeconds?: string;
}

export async function rotateKeyCommand(options: RotateKeyOptions, id: string): Promise<void> {
  const graceSeconds = options.graceSeconds === undefined ? undefined : graceOf(options.graceSeconds);
  await inWorkspace(options, async (store, workspace, { plan }) => {
    const change = { store, plan, workspace, nowMs: Date.now(), by: operator() };
    const rotated = await rotateKey(change, id, graceSeconds);
    const lines = shownOnce(rotated);
    const old = (await store.listKeys(workspace)).find((key) => key.id === id);
    const untilMs = old?.expiresAtMs ?? 0;
    print(
      ...lines,
      untilMs <= Date.now() ? `${id} no longer works.` : `${id} works until ${timeOf(untilMs)}.`,
    );
  });
}

function graceOf(text: string): number {
  const read = wholeNumber(0, GRACE_SECONDS_MAX)(text);
  if ('fault' in read) throw new CommandFailure(`--grace-seconds ${read.fault}`);
  return read.value;
}

function shownOnce(outcome: IssuedKey | Refusal): readonly string[] {
  if (outcome.kind === 'refused') throw new CommandFailure(outcome.message);
  return [
    `key     ${outcome.key.id}`,
    `secret  ${outcome.secret}`,
    '',
    'Save this secret now. It will not be shown again.',
  ];
}

/** One line: what identifies the key, whether it works, its last use, its name, and its limits. */
function described(key: StoredKey, nowMs: number): string {
  const used = key.lastUsedAtMs === null ? 'never used' : `used ${timeOf(key.lastUsedAtMs)}`;
  const limits = [
    key.allowedSystems === null ? '' : `  systems: ${key.allowedSystems.join(', ')}`,
    key.allowedWorkflows === null ? '' : `  workflows: ${key.allowedWorkflows.join(', ')}`,
    key.roles === null ? '' : `  roles: ${key.roles.join(', ')}`,
  ].join('');
  const what = `${key.id}  ${key.hint.padEnd(13)}  ${key.kind.padEnd(11)}`;
  return `${what}  ${stateOf(key, nowMs)}  ${used}  ${key.name}${limits}`;
}

/**
 * A rotated key in its grace period is an active key with an expiry: the store keeps no other trace of a rotation.
 */
function stateOf({ revokedAtMs, expiresAtMs }: StoredKey, nowMs: number): string {
  if (revokedAtMs !== null) return `revoked ${timeOf(revokedAtMs)}`;
  if (expiresAtMs === null) return 'active';
  return expiresAtMs <= nowMs ? `expired ${timeOf(expiresAtMs)}` : `active until ${timeOf(expiresAtMs)}`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
