/** The built console, read into memory on first use: a few files, each plain and compressed. */
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

export interface ConsoleFile {
  readonly mediaType: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
  readonly encoded: ReadonlyMap<string, Uint8Array>;
}

export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

export async function hasConsole(folder: string = FOLDER): Promise<boolean> {
  return access(join(folder, 'index.html')).then(
    () => true,
    () => false,
  );
}

/** Maps paths inside the folder, such as `assets/start-ab12.js`, to files; null if there is no build. */
export async function readConsoleFiles(folder: string = FOLDER): Promise<ConsoleFiles | null> {
  const files = new Map<string, ConsoleFile>();
  try {
    const names = await readdir(folder, { recursive: true });
    // Files are read in parallel, because somebody waits for the first page.
    const read = names.map(async (name) => {
      const mediaType = MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)];
      if (mediaType === undefined) return;
      const bytes = await readFile(join(folder, name));
      const encoded = new Map<string, Uint8Array>();
      for (const { name: encoding, ending } of ENCODINGS)
        if (names.includes(name + ending)) encoded.set(encoding, await readFile(join(folder, name + ending)));
      const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
      files.set(name.replaceAll('\\', '/'), { mediaType, etag, bytes, encoded });
    });
    await Promise.all(read);
  } catch {
    return null;
  }
  return files.has('index.html') ? files : null;
}
