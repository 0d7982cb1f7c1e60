/** `writecheck evidence sign`: what a source found, signed so that the service can verify it. */
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { signEvidence } from '@writecheck/client/evidence';
import { CommandFailure } from './fail.ts';
import { readIntent } from './policy-explain.ts';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export interface SignOptions {
  readonly key: string;
  readonly kid?: string;
  readonly source: string;
  readonly workspace: string;
  readonly control: string;
  readonly result: 'PASS' | 'FAIL' | 'REVOKED';
  readonly expiresIn: string;
  readonly neverExpires: boolean;
  readonly bind: 'intent' | 'object';
  readonly jti?: string;
  readonly into: boolean;
}

export async function evidenceSign(file: string, options: SignOptions): Promise<void> {
  const intent = await readIntent(file);
  const jwk = await readKey(options.key);
  const kid = options.kid ?? jwk.kid;
  if (kid === undefined) throw new CommandFailure(`\`${options.key}\` does not name its key; give --kid`);
  const { kid: _kid, ...key } = jwk;
  const signed = await signEvidence({
    key,
    kid,
    source: options.source,
    workspace: options.workspace,
    controlId: options.control,
    result: options.result,
    intent,
    bind: options.bind,
    ...(options.neverExpires ? {} : { expiresAt: new Date(Date.now() + durationMs(options.expiresIn)) }),
    ...(options.jti === undefined ? {} : { jti: options.jti }),
  }).catch((error: unknown) => {
    throw new CommandFailure(error instanceof Error ? error.message : String(error));
  });
  const shown = options.into
    ? { ...intent, controlEvidence: [...(intent.controlEvidence ?? []), signed] }
    : signed;
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
}

async function readKey(file: string): Promise<JsonWebKey & { readonly kid?: string }> {
  const bytes = await readFile(file).catch(() => {
    throw new CommandFailure(`the key \`${file}\` cannot be read`);
  });
  try {
    const text = bytes.toString();
    return text.includes('-----BEGIN') ? createPrivateKey(text).export({ format: 'jwk' }) : JSON.parse(text);
  } catch {
    // Nothing of the file is repeated: it may be a key all the same.
    throw new CommandFailure(`\`${file}\` is neither a private JWK nor a PKCS#8 key in PEM`);
  }
}

function durationMs(text: string): number {
  const match = /^([0-9]{1,8})([smhd])$/.exec(text);
  if (match === null) throw new CommandFailure(`\`${text}\` is no duration such as 90s, 10m or 1h`);
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}
