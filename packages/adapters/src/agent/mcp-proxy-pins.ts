/** Remembers what each upstream tool looked like when it was first seen. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Tool } from '@modelcontextprotocol/client';
import { CommandFailure } from '@writecheck/contract/command';
import { argumentsDigest } from '../mapping/index.ts';

export interface Pins {
  /** True for an unchanged tool, and for a new one, which this call pins. */
  holds(tool: Tool): boolean;
}

/** Throws a CommandFailure if the file cannot be read: without it a changed tool would pass for a new one. */
export function openPins(file: string): Pins {
  let pinned = readPins(file);
  return {
    holds(tool) {
      const digest = argumentsDigest(tool);
      const known = pinned.get(tool.name);
      if (known !== undefined) return known === digest;
      // Another proxy may have pinned tools in the meantime.
      pinned = new Map([...readPins(file), ...pinned]);
      const meanwhile = pinned.get(tool.name);
      if (meanwhile !== undefined) return meanwhile === digest;
      pinned.set(tool.name, digest);
      writePins(file, pinned);
      return true;
    },
  };
}

function readPins(file: string): Map<string, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new CommandFailure(
      `the pins \`${file}\` cannot be read; check its permissions and what --pins names`,
    );
  }
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
    if (entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
      return new Map(entries);
  } catch {}
  throw new CommandFailure(`the pins \`${file}\` are not an object of digests; fix or remove the file`);
}

function writePins(file: string, pinned: ReadonlyMap<string, string>): void {
  const sorted = Object.fromEntries([...pinned].sort(([a], [b]) => (a < b ? -1 : 1)));
  try {
    const fresh = `${file}.${process.pid}.new`;
    writeFileSync(fresh, `${JSON.stringify(sorted, null, 2)}\n`);
    renameSync(fresh, file);
  } catch {
    throw new CommandFailure(`the pins \`${file}\` cannot be written; choose another file with --pins`);
  }
}
