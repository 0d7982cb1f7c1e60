/** The gateway as a separate process; it has the only database role that may write. */
import { createClient } from '@writecheck/client';
import pg from 'pg';
import { createApp } from './app.ts';

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`set \`${name}\``);
  return value;
}

const database = new pg.Pool({ connectionString: setting('GATEWAY_DATABASE_URL') });
// A connection that breaks while idle; the next one is new.
database.on('error', () => undefined);
const app = createApp({
  database,
  service: {
    // WRITECHECK_URL and WRITECHECK_API_KEY name the service and the key.
    client: createClient({ timeoutMs: 5000 }),
    gateway: setting('GATEWAY_NAME'),
  },
  keys: setting('GATEWAY_VERIFIER_KEYS'),
  workspace: setting('GATEWAY_WORKSPACE'),
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { readonly port: number };
  console.log(`writes on http://127.0.0.1:${port}/writes`);
});
