import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const packageFolder = path.dirname(import.meta.dirname);
const readme = readFileSync(path.join(packageFolder, 'README.md'), 'utf8');

test('the example of the README prints what the README says, and ends', async () => {
  // Run in the folder of the package, so that imports resolve as in a file there.
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--eval', block('ts')],
    { cwd: packageFolder, env: { ...process.env, FORCE_COLOR: '0' }, timeout: 20_000 },
  );
  expect({ stdout, stderr }).toEqual({ stdout: block('text'), stderr: '' });
});

/** The text between the fences of the first block in this language. */
function block(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(readme) ?? [];
  if (text === undefined) throw new Error(`README.md has no ${language} code block`);
  return text;
}
