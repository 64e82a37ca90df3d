import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.dirname(import.meta.dirname);
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/**
 * The programs of the npm scripts, without the bootstrap that installs first. Vitest and Biome are left out, and so is the
 * product, whose help has its own tests.
 */
const commands = Object.entries(scripts)
  .filter(([, command]) => !/node_modules\/|src\/bin\//.test(command))
  .map(([name, command]) => [
    `npm run ${name}`,
    command.replace(/^node tools\/bootstrap\.mjs (--production )?/, ''),
  ]);
const tools = globSync('tools/update-*.ts', { cwd: root }).map((file) => [`node ${file}`, file]);

test.concurrent.each([...commands, ...tools])(
  '%s --help prints help, and does nothing else',
  async (_, command = '') => {
    const [program = '', ...args] = command.split(' ');
    const { code, output } = await run(program, [...args, '--help']);
    expect(output).toContain('Usage: ');
    expect(code).toBe(0);
  },
);

test.concurrent.each([
  ['conformance', ['packages/local-cluster/test/conformance/main.ts', '--quikc']],
  ['fuzz', ['packages/trimtab/test/gateway/fuzz/main.ts', '--examples', 'many']],
  ['test:random', ['packages/trimtab/test/faults/driven/main.ts', '--runs', 'many']],
  ['contract', ['tools/contract.ts']],
  ['image', ['tools/image.ts', '--platform', 'windows/amd64']],
  ['image', ['tools/image.ts', 'trimtab-gateway']],
  ['update-go-fields', ['tools/update-go-fields.ts']],
])(
  '%s with an argument that it does not take does nothing, and ends with 2',
  async (_, [program = '', ...args]) => {
    const { code, output } = await run(program, args);
    expect(output).toMatch(/^error: [\s\S]+Usage: /);
    expect(code).toBe(2);
  },
);

function run(program: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const [file, first] = program.endsWith('.ts') ? [process.execPath, [program]] : [program, []];
  const child = spawn(file, [...first, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });
}
