import type { PolicyDocument } from '../policy/documents.ts';

/** How a rule of the lint reports what it found. */
export type Warn = (document: PolicyDocument, pointer: string, message: string) => void;
