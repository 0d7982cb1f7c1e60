/** Reads the location of the archive: a folder, or a bucket as a URL. */
import { isAbsolute, resolve } from 'node:path';
import type { ArchivePlace } from '@writecheck/store/port/archive';
import { type Parsed, text } from './parse-setting.ts';

const KNOWN: readonly string[] = ['endpoint', 'region'];
const FORM = 'write a folder, or a bucket such as `s3://bucket/prefix?endpoint=https://host&region=name`';

export function archivePlace(raw: string): Parsed<ArchivePlace> {
  if (!raw.startsWith('s3://')) {
    const read = text(raw);
    if ('fault' in read) return read;
    if (raw.includes('://')) return { fault: FORM };
    return { value: { kind: 'folder', folder: isAbsolute(raw) ? raw : resolve(raw) } };
  }
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (url === null || url.hostname === '' || url.username !== '' || url.port !== '') return { fault: FORM };
  const unknown = [...url.searchParams.keys()].find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) return { fault: `\`${unknown}\` is not a known parameter; ${FORM}` };
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !isEndpoint(endpoint))
    return { fault: `its endpoint must be an http or https URL; ${FORM}` };
  const path = partsOf(url.pathname);
  if (path === null) return { fault: FORM };
  return {
    value: {
      kind: 's3',
      bucket: url.hostname,
      prefix: path.map((part) => `${part}/`).join(''),
      endpoint: endpoint?.replace(/\/$/, '') ?? null,
      region: url.searchParams.get('region') ?? 'us-east-1',
    },
  };
}

/** Null if it is not URL-encoded. */
function partsOf(pathname: string): readonly string[] | null {
  try {
    return pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return null;
  }
}

function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return (
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.search === '' &&
    url.hash === ''
  );
}
