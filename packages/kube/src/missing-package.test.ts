import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Runs the import in a Node process, because vitest resolves imports itself and throws other errors. */
async function isMissing(specifier: string, name: string): Promise<boolean> {
  const program = `
    const { isMissingPackage } = await import(${JSON.stringify(new URL('./missing-package.ts', import.meta.url).href)});
    const error = await import(${JSON.stringify(specifier)}).catch((error) => error);
    console.log(isMissingPackage(error, ${JSON.stringify(name)}));
  `;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  return JSON.parse(stdout);
}

test.each([
  ['a package that is not installed', '@trimtab/none/file.ts', '@trimtab/none', true],
  ['another package than this one', '@trimtab/none/file.ts', '@trimtab/kube', false],
  ['a file that is not there', 'file:///no/such/file.ts', '@trimtab/kube', false],
  ['a file that an installed package does not have', '@trimtab/kube/no-such-file.ts', '@trimtab/kube', false],
  ['no error at all', 'node:fs', '@trimtab/kube', false],
])('%s', async (_, specifier, name, expected) => {
  expect(await isMissing(specifier, name)).toBe(expected);
});
