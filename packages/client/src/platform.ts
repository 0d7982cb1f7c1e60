/** The few platform types that the public types name, so that they need neither the DOM library nor `@types/node`. */

/** What the client uses of an `AbortSignal`. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The program's own `AbortSignal` if it has one, because its `fetch` accepts no other. */
type OwnAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : AbortSignalLike;

/** What the client gives to `fetch`. */
export interface FetchInit {
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: OwnAbortSignal;
}

interface ByteReader {
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** What the client reads of a `Response`. */
export interface FetchResponse {
  readonly status: number;
  readonly type?: string;
  readonly redirected?: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): ByteReader; cancel(): Promise<void> } | null;
}

export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;
