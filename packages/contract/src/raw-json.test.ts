import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { rawMember } from './raw-json.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe('the bytes as they were sent', () => {
  test.each([
    ['{"m":1}', '1'],
    [' {\n"m"\t:\r[ 1 , {"m":2} ] } ', '[ 1 , {"m":2} ]'],
    ['{"a":"m","b":["m",{"m":0}],"m" : {"a":"]}\\"\\\\"} ,"c":1}', '{"a":"]}\\"\\\\"}'],
    ['{"\\u006d":true,"a":2}', 'true'],
    ['{"a":-1.5e3,"m":"é\\\\"}', '"é\\\\"'],
    ['{"a":[],"b":{},"m":null}', 'null'],
    ['{"a":{"m":1}}', ''],
    ['{}', ''],
  ])('of the member m of %s', (text, raw) => {
    expect(textOf(rawMember(bytesOf(text), 'm'))).toBe(raw);
  });

  test('of anything', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 3 })),
        fc.constantFrom('', ' ', '\n '),
        (values, space) => {
          const texts = values.map((value) => JSON.stringify(value, null, space));
          const object = `{${space}${texts.map((text, i) => `"${i}"${space}:${space}${text}`).join(`${space},${space}`)}${space}}`;
          for (const [i, text] of texts.entries())
            expect(textOf(rawMember(bytesOf(object), String(i)))).toBe(text);
        },
      ),
    );
  });

  test('truncated bytes end the search', () => {
    for (const text of ['', '{', '{"m"', '{"m":', '{"m":[', '{"m":"', '{"m":[1,', '{"a":"\\', '{"a":1']) {
      expect(rawMember(bytesOf(text), 'x')).toHaveLength(0);
    }
  });
});
