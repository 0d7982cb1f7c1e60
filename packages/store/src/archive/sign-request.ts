/** Signs a request to an S3-compatible server (AWS Signature Version 4). */
import { createHmac, hash } from 'node:crypto';

export interface Credentials {
  readonly id: string;
  readonly secret: string;
  /** The token of credentials that expire. */
  readonly token: string | null;
}

interface RequestToSign {
  readonly method: string;
  /** Has no query, and its path is encoded already. */
  readonly url: URL;
  readonly body?: Uint8Array | undefined;
  readonly region: string;
  readonly nowMs: number;
}

/** A retry would not help. */
export class Refused extends Error {}

/** Reads the variables that every S3 tool uses. */
export function credentialsIn(environment: { readonly [variable: string]: string | undefined }): Credentials {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment;
  if (!id || !secret) throw new Refused('set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  return { id, secret, token: token || null };
}

export function signedHeaders(
  { method, url, body = new Uint8Array(0), region, nowMs }: RequestToSign,
  { id, secret, token }: Credentials,
): { readonly [name: string]: string } {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const bodyHash = hash('sha256', body);
  const headers: { [name: string]: string } = {
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...(token === null ? {} : { 'x-amz-security-token': token }),
  };
  // Already in order: `host` comes before `x-amz-`.
  const listed = Object.entries({ host: url.host, ...headers });
  const names = listed.map(([name]) => name).join(';');
  const lines = listed.map(([name, value]) => `${name}:${value}\n`).join('');
  const request = [method, url.pathname, '', lines, names, bodyHash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', request)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const signature = hmac(key, text).toString('hex');
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return headers;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
