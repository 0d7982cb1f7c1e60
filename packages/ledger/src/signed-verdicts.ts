/**
 * Checks every verdict that a passkey signed against the registration of that passkey, offline: access to the
 * database alone is not enough to forge one.
 */
import { decodeBase64Url, isObject } from '@writecheck/contract';
import { type Assertion, challengeOf, verifyAssertion } from './assertion.ts';
import type { LoggedPersonEntry } from './person-entry.ts';
import type { LoggedReviewEntry } from './review-entry.ts';
import { type Sha256, sha256 } from './sha256.ts';
import { type VerdictStatement, verdictChallenge } from './verdict-statement.ts';

/** A passkey that signed verdicts: since when it belongs to a person, and who invited them. */
export interface SigningPasskey {
  readonly credential: string;
  readonly person: string;
  readonly registeredAt: string;
  /** Null if the registration names nobody. */
  readonly invitedBy: { readonly kind: string; readonly id: string } | null;
  readonly verdicts: number;
}

interface Registered {
  readonly person: string;
  readonly publicKey: string;
  readonly rpId: string;
  readonly registeredAt: string;
  readonly invitedBy: SigningPasskey['invitedBy'];
  verdicts: number;
}

interface Pending<Place> {
  readonly entry: LoggedReviewEntry;
  readonly place: Place;
}

/** Memory grows with the number of passkeys, not with the log. */
export class SignedVerdicts<Place> {
  readonly #hash: Sha256;
  readonly #registered = new Map<string, Registered>();
  /** When a person was last disabled or reset, which ended the passkeys of before. */
  readonly #endedMs = new Map<string, number>();
  /** Replicas write to separate logs, so a registration may come after the verdict it belongs to. */
  readonly #pending: Pending<Place>[] = [];
  #unchecked = 0;

  constructor(hash: Sha256 = sha256) {
    this.#hash = hash;
  }

  addPerson({ person, event, timestamp, details }: LoggedPersonEntry): void {
    if (event === 'disabled' || event === 'reset') this.#endedMs.set(person, Date.parse(timestamp));
    const { credential, invitedBy } = details;
    if (event !== 'joined' || !isObject(credential)) return;
    const { id, publicKey, rpId } = credential;
    if (typeof id !== 'string' || typeof publicKey !== 'string' || typeof rpId !== 'string') return;
    // INVARIANT: the first registration counts; a later entry cannot give its id to another key.
    if (this.#registered.has(id)) return;
    const inviter = isObject(invitedBy) ? { kind: String(invitedBy.kind), id: String(invitedBy.id) } : null;
    this.#registered.set(id, {
      person,
      publicKey,
      rpId,
      registeredAt: timestamp,
      invitedBy: inviter,
      verdicts: 0,
    });
  }

  /** Null if it has no error so far; otherwise the error, as text. */
  async addVerdict(entry: LoggedReviewEntry, place: Place): Promise<string | null> {
    const { assertion, identity } = entry.details;
    if (assertion === null || assertion === undefined) {
      return identity === 'passkey' ? `${named(entry)} claims a passkey, but no passkey signed it` : null;
    }
    const read = assertionFrom(assertion);
    if (read === null) return `${named(entry)} holds no assertion in its exact form`;
    if (this.#registered.has(read.id)) return this.#check(entry, read);
    this.#pending.push({ entry, place });
    return null;
  }

  /** Verdicts whose passkeys may have been registered before the first entry. */
  get unchecked(): number {
    return this.#unchecked;
  }

  /**
   * The first verdict whose passkey is missing, or did not sign it. Without the first entries, passkeys may be
   * missing.
   */
  async finish(isWhole: boolean): Promise<{ readonly message: string; readonly place: Place } | null> {
    for (const { entry, place } of this.#pending) {
      const assertion = assertionFrom(entry.details.assertion)!;
      if (!isWhole && !this.#registered.has(assertion.id)) {
        this.#unchecked += 1;
        continue;
      }
      const message = await this.#check(entry, assertion);
      if (message !== null) return { message, place };
    }
    return null;
  }

  passkeys(): readonly SigningPasskey[] {
    return [...this.#registered]
      .filter(([, { verdicts }]) => verdicts > 0)
      .map(([credential, { person, registeredAt, invitedBy, verdicts }]) => ({
        credential,
        person,
        registeredAt,
        invitedBy,
        verdicts,
      }));
  }

  async #check(entry: LoggedReviewEntry, assertion: Assertion): Promise<string | null> {
    const passkey = this.#registered.get(assertion.id);
    if (passkey === undefined) return `${named(entry)} is signed by a passkey that nobody registered`;
    const { by, timestamp } = entry;
    if (by?.kind !== 'person' || by.id !== passkey.person) {
      return `${named(entry)} is signed by a passkey of \`${passkey.person}\`, who did not give it`;
    }
    const registeredMs = Date.parse(passkey.registeredAt);
    const endedMs = this.#endedMs.get(passkey.person) ?? 0;
    if (registeredMs > Date.parse(timestamp)) {
      return `${named(entry)} is signed by a passkey that was registered later`;
    }
    if (endedMs > registeredMs && endedMs < Date.parse(timestamp)) {
      return `${named(entry)} is signed by a passkey from before its owner was disabled or reset`;
    }
    const problem = await this.#signatureProblem(entry, assertion, passkey);
    if (problem !== null) return `${named(entry)} is not signed by its passkey: ${problem}`;
    passkey.verdicts += 1;
    return null;
  }

  /** The statement is rebuilt from the entry, so a signature for another write does not fit. */
  async #signatureProblem(
    { workspace, review, intentDigest, details, by }: LoggedReviewEntry,
    assertion: Assertion,
    { publicKey, rpId }: Registered,
  ): Promise<string | null> {
    const { controls, verdict, comment } = details;
    if (verdict !== 'approve' && verdict !== 'reject') return INCOMPLETE;
    if (!Array.isArray(controls) || (comment !== null && typeof comment !== 'string')) return INCOMPLETE;
    const statement: VerdictStatement = {
      workspace,
      review,
      intentDigest,
      controls,
      verdict,
      by: by!.id,
      comment,
    };
    const challenge = challengeOf(verdictChallenge(statement, this.#hash), assertion, this.#hash);
    if (challenge === null) return 'the list that was signed does not contain it';
    const origin = originOf(assertion, rpId);
    if (origin === null) return 'it was signed on another site';
    const sha256 = this.#hash;
    const checked = await verifyAssertion({ assertion, challenge, publicKey, rpId, origin, sha256 });
    return checked.ok ? null : checked.reason;
  }
}

const INCOMPLETE = 'the entry does not say what was decided';

function named({ review, by }: LoggedReviewEntry): string {
  return `the verdict of \`${by?.id ?? 'nobody'}\` on review \`${review}\``;
}

/**
 * The origin that the browser named, if its host is the one that the passkey was registered for. The service
 * accepted one origin when it accepted the verdict; the port of its public URL may have changed since the
 * registration.
 */
function originOf({ clientDataJSON }: Assertion, rpId: string): string | null {
  try {
    const { origin } = JSON.parse(new TextDecoder().decode(decodeBase64Url(clientDataJSON)!));
    const url = new URL(origin);
    return url.hostname === rpId && url.origin === origin ? origin : null;
  } catch {
    return null;
  }
}

function assertionFrom(value: unknown): Assertion | null {
  if (!isObject(value)) return null;
  const { id, clientDataJSON, authenticatorData, signature, statements } = value;
  if (typeof id !== 'string' || typeof clientDataJSON !== 'string') return null;
  if (typeof authenticatorData !== 'string' || typeof signature !== 'string') return null;
  const signed = { id, clientDataJSON, authenticatorData, signature };
  if (statements === undefined || statements === null) return signed;
  const isList = Array.isArray(statements) && statements.every((each) => typeof each === 'string');
  return isList ? { ...signed, statements } : null;
}
