import { expect, test } from 'vitest';
import type { HttpRequest } from '../exchange/request.ts';
import { readBody } from './request-body.ts';

const RULE = { mediaTypes: ['application/json', 'application/yaml'], limitBytes: 10, isOptional: false };

function read(contentType: string) {
  const headers: Record<string, string> = { 'content-type': contentType };
  const bytes = Buffer.from('{}');
  return readBody(
    {
      header: (name: string) => headers[name],
      sentTwice: () => false,
      body: () => ({ kind: 'body', bytes }),
    } as unknown as HttpRequest,
    RULE,
  );
}

test.each([
  'application/json',
  'APPLICATION/JSON',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json ;\tCharset="Utf-8" ; profile=x',
  'application/yaml; charset=utf-8',
  'application/json;',
  'application/json; profile="charset"',
  'application/json; charset=utf-8; charset=utf-8',
])('a body is read if its charset is UTF-8 or not said: %s', (contentType) => {
  expect(read(contentType)).toEqual(Buffer.from('{}'));
});

test.each([
  'application/json; charset=utf-16',
  'application/json;charset="utf-16"',
  'application/json; charset=utf8',
  'application/json; charset=iso-8859-1',
  'application/yaml; charset=us-ascii',
  'application/json; charset=',
  'application/json; charset',
  'application/json; charset =utf-16',
  "application/json; charset*=utf-8''utf-16",
  'application/json; charset=utf-8; charset=utf-16',
  'application/json; charset=utf-8\u00a0',
  'application/json; x=1; CHARSET=UTF-7',
])('any other charset is refused: %s', (contentType) => {
  const refusal = read(contentType);
  expect(refusal).toMatchObject({ kind: 'refused', code: 'unsupported_media_type' });
  expect((refusal as { message: string }).message).toContain('send the body as UTF-8');
});

test('a content type of many parameters is read in a moment', () => {
  expect(read(`application/json${'; '.repeat(8_000)}charset=utf-16`)).toMatchObject({ kind: 'refused' });
});
