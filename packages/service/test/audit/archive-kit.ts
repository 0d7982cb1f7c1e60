/** A service with months of decisions and an archive to move them to, for tests: on either store, in a folder or a bucket. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import S3rver from '@20minutes/s3rver';
import { DAY_MS } from '@writecheck/contract';
import { ALLOWED, ask } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

const ZSTD_MAGIC = 0xfd2f_b528;

export interface TestArchive {
  /** The place as the setting names it. */
  readonly place: string;
  read(name: string): Buffer;
  /** Null removes the file. */
  write(name: string, bytes: Buffer | null): void;
  /** Whether a text is in a file once it is decompressed. */
  holds(name: string, text: string): boolean;
  remove(): Promise<void>;
}

export async function folderArchive(): Promise<TestArchive> {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-archive-'));
  return {
    place: folder,
    ...onFiles((name) => join(folder, name)),
    remove: async () => rmSync(folder, { recursive: true }),
  };
}

/** A real S3-compatible server, which checks signatures and keeps each object as a file. */
export async function bucketArchive(): Promise<TestArchive> {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-bucket-'));
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory: folder },
    configureBuckets: [{ name: 'decisions' }],
  });
  const { port } = await server.run();
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER';
  process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER';
  return {
    place: `s3://decisions/of/prod?endpoint=http://127.0.0.1:${port}`,
    ...onFiles((name) => join(folder, 'decisions/of/prod', `${name}._S3rver_object`)),
    async remove() {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function onFiles(pathOf: (name: string) => string): Omit<TestArchive, 'place' | 'remove'> {
  const read = (name: string) => readFileSync(pathOf(name));
  return {
    read,
    write(name, bytes) {
      if (bytes === null) rmSync(pathOf(name));
      else writeFileSync(pathOf(name), bytes);
    },
    holds(name, text) {
      const bytes = read(name);
      return (bytes.readUInt32LE(0) === ZSTD_MAGIC ? zstdDecompressSync(bytes) : bytes).includes(text);
    },
  };
}

export interface Grown {
  readonly service: TestService;
  /** Ids in the order of the log; the object of each is `V-` and its place. */
  readonly decisionIds: readonly string[];
}

const BATCHES = 36;
const CHECKS = 50;

/** Decisions of 100 days ago, seven tiles and a bit, so four of them can be archived. */
export async function grownService(
  settings: {
    readonly archive: string;
    readonly databaseUrl?: string;
  },
  folder?: string,
): Promise<Grown> {
  const clock = { ms: Date.now() - 100 * DAY_MS };
  const service = await startTestService({
    settings,
    clock: () => clock.ms,
    ...(folder === undefined ? {} : { folder }),
  });
  const decisionIds: string[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    clock.ms += 1_000;
    const checks = Array.from({ length: CHECKS }, (_, i) => ({
      ...ALLOWED,
      objectRef: `V-${batch * CHECKS + i}`,
    }));
    const { body } = await ask(`${service.url}/v1/check-write/batch`, {
      key: service.liveKey,
      json: { checks },
    });
    decisionIds.push(...body.results.map((result: { decision_id: string }) => result.decision_id));
  }
  return { service, decisionIds };
}
