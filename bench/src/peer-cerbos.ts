/** Cerbos for comparison: the real server, with its decision log in a file, making an equal decision. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithBench, newFolder, type Target } from './service-processes.ts';

const PACKAGE = `@cerbos/cerbos-linux-${process.arch}`;
const VERSION = '0.55.0';
const START_TIMEOUT_MS = 20_000;

export interface CerbosTarget extends Target {
  /** The complete request. */
  readonly request: string;
}

/** Installed on first use, because it is a hundred times larger than everything else. Null if npm cannot install it. */
function binary(): string | null {
  const folder = fileURLToPath(new URL('../.peers/', import.meta.url));
  const file = join(folder, 'node_modules', PACKAGE, `cerbos-linux-${process.arch}`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    try {
      execFileSync('npm', ['install', '--no-audit', '--no-fund', `${PACKAGE}@${VERSION}`], {
        cwd: folder,
        stdio: 'ignore',
      });
    } catch {
      return null;
    }
  }
  return file;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

interface EqualIntent {
  readonly controlEvidence: readonly { readonly controlId: string; readonly source: string }[];
}

/** The same rule as our profile: the values agree, and every control has a recent PASS from its source. */
const policyFor = ({ controlEvidence }: EqualIntent): unknown => ({
  apiVersion: 'api.cerbos.dev/v1',
  resourcePolicy: {
    resource: 'vendor',
    version: 'default',
    rules: [
      {
        actions: ['write:iban'],
        effect: 'EFFECT_ALLOW',
        roles: ['agent'],
        condition: {
          match: {
            all: {
              of: [
                { expr: 'R.attr.authorityFound && R.attr.agentValue == R.attr.authorityValue' },
                ...controlEvidence.map(({ controlId, source }) => ({
                  expr:
                    `R.attr.controlEvidence.exists(e, e.controlId == "${controlId}" && e.result == "PASS" && ` +
                    `e.source == "${source}" && timestamp(e.checkedAt) > now() - duration("24h"))`,
                })),
              ],
            },
          },
        },
      },
    ],
  },
});

/** Null if Cerbos has no build for this platform; its row is then omitted. */
export async function startCerbos(body: string): Promise<CerbosTarget | null> {
  const program = binary();
  if (program === null) {
    console.log(`npm cannot install ${PACKAGE}@${VERSION}, so the Cerbos row is omitted`);
    return null;
  }
  const data = newFolder();
  const port = await freePort();
  const policies = join(data, 'policies');
  mkdirSync(policies);
  const intent = JSON.parse(body) as EqualIntent;
  // JSON is valid YAML.
  writeFileSync(join(policies, 'vendor.yaml'), JSON.stringify(policyFor(intent)));
  const config = {
    server: {
      httpListenAddr: `127.0.0.1:${port}`,
      grpcListenAddr: `unix:${join(data, 'grpc.sock')}`,
      playgroundEnabled: false,
    },
    storage: { driver: 'disk', disk: { directory: policies, watchForChanges: false } },
    audit: {
      enabled: true,
      backend: 'file',
      accessLogsEnabled: true,
      decisionLogsEnabled: true,
      file: { path: join(data, 'audit.log') },
    },
    telemetry: { disabled: true },
  };
  writeFileSync(join(data, 'config.yaml'), JSON.stringify(config));
  const child = spawn(program, ['server', `--config=${join(data, 'config.yaml')}`, '--log-level=ERROR'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  endWithBench(child, data);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(data, { recursive: true, force: true });
  };
  const asked = JSON.stringify({
    requestId: 'run-2026-11-15-000042',
    principal: { id: 'accounts-payable-agent', roles: ['agent'] },
    resources: [{ actions: ['write:iban'], resource: { kind: 'vendor', id: 'V-100423', attr: intent } }],
  });
  for (const untilMs = performance.now() + START_TIMEOUT_MS; ; ) {
    const reply = await fetch(`http://127.0.0.1:${port}/api/check/resources`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: asked,
    }).catch(() => null);
    if (reply?.status === 200) {
      const text = await reply.text();
      if (!text.includes('EFFECT_ALLOW')) throw new Error(`the bench needs an allow, not ${text}`);
      break;
    }
    if (performance.now() > untilMs) {
      await stop();
      throw new Error(`Cerbos did not start: ${reply?.status} ${await reply?.text()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const request = [
    'POST /api/check/resources HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(asked)}`,
    '',
    asked,
  ].join('\r\n');
  return { port, pid: child.pid!, request, stop };
}
