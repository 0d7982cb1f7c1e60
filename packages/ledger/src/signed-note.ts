/** Signed notes (C2SP signed-note): a text, a blank line, and one line for each signature over the text. */
import { decodeBase64, encodeBase64 } from '@writecheck/contract';
import { verifyEd25519 } from './ed25519.ts';
import { isKeyName, type VerifierKey } from './verifier-key.ts';

export interface NoteSignature {
  readonly name: string;
  /** The key's id in eight hex digits. */
  readonly id: string;
  readonly signature: Uint8Array;
}

export interface Note {
  /** What is signed, including its last newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const LINE_START = '\u2014 ';
const ID_BYTES = 4;
const SIGNATURES_MAX = 100;
const NOTE_LENGTH_MAX = 65_536;

const encoder = new TextEncoder();

/** The bytes a signer signs. */
export function noteBytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** One signature's line; the signing itself is separate, because a server uses its runtime's own Ed25519. */
export function signatureLine(key: VerifierKey, signature: Uint8Array): string {
  const id = Uint8Array.from([0, 2, 4, 6].map((at) => Number.parseInt(key.id.slice(at, at + 2), 16)));
  return `${LINE_START}${key.name} ${encodeBase64(new Uint8Array([...id, ...signature]))}\n`;
}

/** INVARIANT: the text ends with a newline, and the lines come from `signatureLine`. */
export function signedNote(text: string, signatureLines: readonly string[]): string {
  return `${text}\n${signatureLines.join('')}`;
}

function hasForbidden(note: string): boolean {
  for (let i = 0; i < note.length; i += 1) {
    const code = note.charCodeAt(i);
    if (code < 0x20 && code !== 0x0a) return true;
  }
  return !note.isWellFormed();
}

function parseSignatureLine(line: string): NoteSignature | null {
  if (!line.startsWith(LINE_START)) return null;
  const [name, encoded, ...rest] = line.slice(LINE_START.length).split(' ');
  if (name === undefined || encoded === undefined || rest.length > 0 || !isKeyName(name)) return null;
  const bytes = decodeBase64(encoded);
  if (bytes === null || bytes.length <= ID_BYTES) return null;
  let id = '';
  for (const byte of bytes.subarray(0, ID_BYTES)) id += byte.toString(16).padStart(2, '0');
  return { name, id, signature: bytes.slice(ID_BYTES) };
}

/** Null if it is not a signed note. Nothing is verified: a parsed note is still only a claim. */
export function parseNote(note: string): Note | null {
  if (note.length > NOTE_LENGTH_MAX || hasForbidden(note)) return null;
  const blank = note.lastIndexOf('\n\n');
  if (blank < 0 || !note.endsWith('\n')) return null;
  const lines = note.slice(blank + 2, -1).split('\n');
  if (lines.length > SIGNATURES_MAX) return null;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const signature = parseSignatureLine(line);
    if (signature === null) return null;
    signatures.push(signature);
  }
  return { text: note.slice(0, blank + 1), signatures };
}

export type VerifiedNote =
  | { readonly kind: 'verified'; readonly text: string; readonly signers: readonly VerifierKey[] }
  | { readonly kind: 'refused'; readonly reason: 'malformed_note' | 'unknown_signer' | 'bad_signature' };

/**
 * Signatures by unknown keys are skipped, as the format requires (witnesses add theirs); one that claims a known key
 * and does not verify invalidates the whole note.
 */
export async function verifyNote(note: string, keys: readonly VerifierKey[]): Promise<VerifiedNote> {
  const parsed = parseNote(note);
  if (parsed === null) return { kind: 'refused', reason: 'malformed_note' };
  const message = noteBytes(parsed.text);
  const signers: VerifierKey[] = [];
  for (const { name, id, signature } of parsed.signatures) {
    const claimed = keys.filter((key) => key.name === name && key.id === id);
    if (claimed.length === 0) continue;
    let signer: VerifierKey | undefined;
    for (const key of claimed) {
      if (signer === undefined && (await verifyEd25519(key.publicKey, message, signature))) signer = key;
    }
    if (signer === undefined) return { kind: 'refused', reason: 'bad_signature' };
    if (!signers.includes(signer)) signers.push(signer);
  }
  if (signers.length === 0) return { kind: 'refused', reason: 'unknown_signer' };
  return { kind: 'verified', text: parsed.text, signers };
}
