/** The built console: each file is read when a request first asks for it, plain and compressed, and kept in memory. */
import { createHash } from 'node:crypto';
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** It stands beside both the sources and the compiled code, so the path is the same for both. */
const FOLDER = fileURLToPath(new URL('../../console/', import.meta.url));

const MEDIA_TYPES: { readonly [ending: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};
/** The preferred encoding first. */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;
const PAGE = 'index.html';

export interface ConsoleFile {
  readonly mediaType: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
  readonly encoded: ReadonlyMap<string, Uint8Array>;
}

export type FoundFile = ConsoleFile | 'not_built' | 'no_such_file';

export async function hasConsole(folder: string = FOLDER): Promise<boolean> {
  return access(join(folder, PAGE)).then(
    () => true,
    () => false,
  );
}

/** What the folder held when it was listed. */
interface Build {
  readonly names: ReadonlySet<string>;
  /** Promises, so that any number of first requests share one read. */
  readonly files: Map<string, Promise<ConsoleFile>>;
}

export class ConsoleFiles {
  readonly #folder: string;
  #build: Promise<Build | null> | null = null;

  constructor(folder: string = FOLDER) {
    this.#folder = folder;
  }

  /** `name` is a path inside the folder, such as `assets/start-ab12.js`. */
  async find(name: string): Promise<FoundFile> {
    this.#build ??= this.#list();
    const listed = this.#build;
    try {
      const build = await listed;
      if (build !== null) return (await this.#fileOf(build, name)) ?? 'no_such_file';
      this.#forget(listed);
      return 'not_built';
    } catch {
      // Another build may have replaced this one.
      this.#forget(listed);
      return 'no_such_file';
    }
  }

  #forget(listed: Promise<Build | null>): void {
    if (this.#build === listed) this.#build = null;
  }

  /** Null if there is no build. The page is read immediately, because it names files of this build. */
  async #list(): Promise<Build | null> {
    const listed = await readdir(this.#folder, { recursive: true }).catch(() => []);
    const names = new Set(listed.map((name) => name.replaceAll('\\', '/')));
    const build: Build = { names, files: new Map() };
    const page = this.#fileOf(build, PAGE);
    // A request for the page reports it.
    page?.catch(() => undefined);
    return page === null ? null : build;
  }

  /** INVARIANT: only listed names are read and kept, so no request leaves the folder or fills the memory. */
  #fileOf({ names, files }: Build, name: string): Promise<ConsoleFile> | null {
    const mediaType = MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (mediaType === undefined || !names.has(name)) return null;
    const reading =
      files.get(name) ?? read(join(this.#folder, name), mediaType, (ending) => names.has(name + ending));
    files.set(name, reading);
    return reading;
  }
}

async function read(
  file: string,
  mediaType: string,
  hasEncoded: (ending: string) => boolean,
): Promise<ConsoleFile> {
  const bytes = await readFile(file);
  const encoded = new Map<string, Uint8Array>();
  for (const { name, ending } of ENCODINGS)
    if (hasEncoded(ending)) encoded.set(name, await readFile(file + ending));
  const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { mediaType, etag, bytes, encoded };
}
