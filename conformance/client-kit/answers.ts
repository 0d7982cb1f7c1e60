/** The bytes of an HTTP response, honest or not. */
import type { Attack } from './hostile-server.ts';

export interface AnswerShape {
  readonly status?: number;
  /** Replaces a header, or removes it if undefined. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export function httpAnswer(
  body: string | Uint8Array,
  { status = 200, headers = {} }: AnswerShape = {},
): Buffer {
  const bytes = Buffer.from(body as string);
  const all: Record<string, string | undefined> = {
    'Content-Type': 'application/json',
    Date: new Date().toUTCString(),
    'Content-Length': String(bytes.length),
    Connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Any\r\n${lines.join('\r\n')}\r\n\r\n`), bytes]);
}

/** Responds with a valid allow after `change` is applied to its members; undefined removes one. */
export function answerWith(
  change: Readonly<Record<string, unknown>> | ((attack: Attack) => Readonly<Record<string, unknown>>),
  shape?: AnswerShape,
): (attack: Attack) => void {
  return (attack) => {
    const changes = typeof change === 'function' ? change(attack) : change;
    attack.socket.end(httpAnswer(JSON.stringify({ ...attack.allow, ...changes }), shape));
  };
}

/** Responds with a text made from the JSON of a valid allow. */
export function answerText(
  text: (json: string, attack: Attack) => string | Uint8Array,
  shape?: AnswerShape,
): (attack: Attack) => void {
  return (attack) => void attack.socket.end(httpAnswer(text(JSON.stringify(attack.allow), attack), shape));
}
