/** `writecheck evidence sign`: signs the result of a check so that the service can verify it. */
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { signEvidence } from '@writecheck/client/evidence';
import {
  DURATION_PATTERN,
  durationMs,
  given,
  isName,
  type JsonObject,
  NAME_CHARACTERS_MAX,
  parseStrictJson,
} from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { calledAs } from '@writecheck/service/support/called-as';
import { readIntent } from '../read-intent.ts';

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
  readonly facts?: string;
  readonly jti?: string;
  readonly into: boolean;
}

export async function evidenceSign(file: string, options: SignOptions): Promise<void> {
  checkIds(options);
  const { intent } = await readIntent(file);
  const jwk = await readKey(options.key);
  const kid = options.kid ?? jwk.kid;
  const expiresAt = options.neverExpires ? null : new Date(Date.now() + expiryMs(options.expiresIn));
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
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(options.facts === undefined ? {} : { facts: await readFacts(options.facts) }),
    ...given({ jti: options.jti }),
  }).catch((error: unknown) => {
    throw new CommandFailure(error instanceof Error ? error.message : String(error));
  });
  const shown = options.into
    ? { ...intent, controlEvidence: [...(intent.controlEvidence ?? []), signed] }
    : signed;
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  process.stderr.write(
    expiresAt === null
      ? "signed without an expiry: it is valid as long as the control's max age allows\n"
      : `signed until ${expiresAt.toISOString()}; change that with --expires-in\n`,
  );
}

/** Refused here, because the service would treat the signed item as untrusted without telling the signer. */
function checkIds({ workspace, jti }: SignOptions): void {
  if (!/^ws_[0-9a-f]{32}$/.test(workspace))
    throw new CommandFailure(
      `--workspace must be \`ws_\` and 32 hexadecimal digits, as \`${calledAs()} workspace list\` shows it`,
    );
  if (jti !== undefined && !isName(jti))
    throw new CommandFailure(
      `--jti must have 1 to ${NAME_CHARACTERS_MAX} characters, without control characters or spaces at the ends`,
    );
}

async function readKey(file: string): Promise<JsonWebKey & { readonly kid?: string }> {
  const bytes = await readFile(file).catch(() => {
    throw new CommandFailure(`the key \`${file}\` cannot be read; check --key`);
  });
  let jwk: JsonWebKey | null = null;
  try {
    const text = bytes.toString();
    jwk = text.includes('-----BEGIN') ? createPrivateKey(text).export({ format: 'jwk' }) : JSON.parse(text);
  } catch {
    // Nothing of the file is repeated: it may still be a key.
  }
  if (typeof jwk?.d === 'string') return jwk;
  throw new CommandFailure(
    typeof jwk?.kty === 'string'
      ? `\`${file}\` contains only the public half of a key; sign with the private one, as \`${calledAs()} evidence key --out\` wrote it`
      : `\`${file}\` contains no private key; give a private JWK, as \`${calledAs()} evidence key --out\` writes it, or PKCS#8 in PEM`,
  );
}

async function readFacts(file: string): Promise<JsonObject> {
  const bytes = await readFile(file).catch(() => {
    throw new CommandFailure(`the facts \`${file}\` cannot be read; check --facts`);
  });
  const parsed = parseStrictJson(bytes);
  if (parsed.kind === 'json') return parsed.value as JsonObject;
  throw new CommandFailure(`the facts \`${file}\` are not strict JSON: ${parsed.message}`);
}

function expiryMs(text: string): number {
  if (DURATION_PATTERN.test(text)) return durationMs(text);
  throw new CommandFailure(`\`${text}\` is not a duration such as 90s, 10m or 1h`);
}
