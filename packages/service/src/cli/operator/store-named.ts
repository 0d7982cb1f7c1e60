/** Names the store that a process uses in its log, without the password. */
import type { Config } from '../../config/settings.ts';

export function storeNamed({ data, databaseUrl }: Pick<Config, 'data' | 'databaseUrl'>): object {
  if (databaseUrl === null) return { data };
  // Several hosts in one URL are not a valid URL for the parser of the web.
  const database = databaseUrl.replace(/^(\w+:\/\/)[^@/]*@/, '$1').replace(/\?.*$/, '');
  return { data, database };
}
