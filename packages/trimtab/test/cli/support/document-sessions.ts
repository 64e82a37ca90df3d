import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Session {
  title: string;
  commands: { command: string; output: string }[];
}

/** The sessions of a file in test/cli/documents: lines that begin with `$ ` are commands, and their output follows. */
export function documentSessions(name: string): Session[] {
  const file = path.resolve(import.meta.dirname, '../documents', `${name}.txt`);
  const [, ...parts] = readFileSync(file, 'utf8').split(/^## /m);
  return parts.map((part) => {
    const [title = '', ...blocks] = part.split(/^\$ /m);
    return {
      title: title.trim(),
      commands: blocks.map((block) => {
        const end = block.indexOf('\n');
        return { command: block.slice(0, end), output: `${block.slice(end + 1).trim()}\n` };
      }),
    };
  });
}
