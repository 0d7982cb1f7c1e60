/** A warning about a bundle: something allowed but most likely a mistake, and its place. */
import type { PolicyDocument } from '../policy/documents.ts';

export interface LintWarning {
  readonly document: PolicyDocument;
  readonly pointer: string;
  readonly message: string;
}

export type Warn = (document: PolicyDocument, pointer: string, message: string) => void;
