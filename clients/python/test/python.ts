/** Finds Python for the tests of `clients/python` and runs it on the sources. */
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';

export const HOME = join(import.meta.dirname, '..');
export const TESTS = join(HOME, 'tests');

/** Undefined if there is no Python 3.10 or newer. WRITECHECK_PYTHON names another interpreter. */
export const python: string | undefined = findPython();

export const pythonEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  PYTHONPATH: `${join(HOME, 'src')}:${TESTS}`,
  PYTHONDONTWRITEBYTECODE: '1',
};

export interface PythonResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface PythonOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: Iterable<string>;
}

export async function runPython(
  args: readonly string[],
  { env = {}, input = [] }: PythonOptions = {},
): Promise<PythonResult> {
  const child = spawn(python!, [...args], { cwd: TESTS, env: { ...pythonEnvironment, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  for (const text of input) {
    if (!child.stdin.write(text)) await new Promise((resolve) => child.stdin.once('drain', resolve));
  }
  child.stdin.end();
  return { code: await ended, stdout, stderr };
}

function findPython(): string | undefined {
  const name = process.env.WRITECHECK_PYTHON ?? 'python3';
  const isNewEnough = 'import sys; sys.exit(sys.version_info < (3, 10))';
  try {
    execFileSync(name, ['-c', isNewEnough], { stdio: 'ignore' });
    return name;
  } catch {
    console.warn('SKIPPED: the tests of clients/python need python3, version 3.10 or newer');
    return undefined;
  }
}
