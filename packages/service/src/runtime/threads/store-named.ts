/** Names the store that a process uses, without the password that a URL may contain. */
import type { StorePlace } from '../../support/config/settings.ts';

/** Names the store in the log. */
export function storeNamed({ data, databaseUrl }: StorePlace): object {
  return databaseUrl === null ? { data } : { data, database: shownUrl(databaseUrl) };
}

/** Not by the web's parser, which refuses several hosts. */
export function shownUrl(databaseUrl: string): string {
  return databaseUrl.split(/[?#]/, 1)[0]!.replace(/^(\w+:\/\/)[^/]*@/, '$1');
}
