/** Sends the demo's requests to its service. */

/** The members that the demo reads from any response. */
export interface Reply {
  readonly decision?: string;
  readonly decision_id?: string;
  readonly review?: DemoReview;
  readonly secret?: string;
  readonly person?: { readonly id: string };
  readonly people?: readonly { readonly id: string; readonly state: string }[];
  readonly invitation?: { readonly url: string };
  readonly session?: { readonly token: string };
  /** For a passkey's registration or sign-in. */
  readonly options?: { readonly challenge: string; readonly user?: { readonly id: string } };
}

export interface DemoReview {
  readonly id: string;
  readonly intentDigest: string;
  readonly controls: readonly { readonly controlId: string; readonly identity: string }[];
}

/** Rejects if the response is an error. A GET has no body; some routes need no key. */
export type Send = (
  request: string,
  key: string | null,
  body?: object,
  headers?: { readonly [name: string]: string },
) => Promise<Reply>;

export function sendTo(url: string): Send {
  return async (request, key, body, headers = {}) => {
    const [method, path] = request.split(' ');
    const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(`${url}${path}`, {
      method: method!,
      headers: { 'content-type': 'application/json', ...authorization, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the demo failed at ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Reply;
  };
}
