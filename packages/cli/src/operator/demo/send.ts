/** Sends the demo's requests to its service over HTTP. */

/** Resolves with the response's body, and rejects if it is an error. Without a key, for a route that needs none. */
export type Send = (
  path: string,
  body: object,
  key: string | null,
  more?: { readonly method?: string; readonly headers?: { readonly [name: string]: string } },
) => Promise<Reply>;

export interface DemoReview {
  readonly id: string;
  readonly intentDigest: string;
  readonly controls: readonly { readonly controlId: string; readonly identity: string }[];
}

/** The members that the demo reads from any response. */
export interface Reply {
  readonly decision?: string;
  readonly decision_id?: string;
  readonly review?: DemoReview;
  readonly secret?: string;
  readonly person?: { readonly id: string };
  readonly invitation?: { readonly url: string };
  readonly session?: { readonly token: string };
  /** For a passkey's registration or sign-in. */
  readonly options?: { readonly challenge: string; readonly user?: { readonly id: string } };
}

export function sendTo(url: string): Send {
  return async (path, body, key, { method = 'POST', headers = {} } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the demo failed at ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Reply;
  };
}
