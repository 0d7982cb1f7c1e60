import { expect, test, vi } from 'vitest';
import { bucketFiles } from './bucket-files.ts';

test('missing credentials are named, instead of a bucket that does not answer', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', '');
  const place = { bucket: 'decisions', prefix: '', endpoint: 'http://127.0.0.1:9', region: 'eu-central-1' };
  const { read, write } = bucketFiles({ kind: 's3', ...place });
  await expect(read('a')).rejects.toThrow('set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  await expect(write('a', new Uint8Array(1))).rejects.toThrow('set both AWS_ACCESS_KEY_ID');
});
