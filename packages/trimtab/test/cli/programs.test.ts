import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { compiledProgram, trimtabCommand } from '../support/trimtab-command.ts';

function trimtab(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  const [file, words] = trimtabCommand(args);
  return new Promise((resolve) => {
    execFile(file, words, (error, stdout, stderr) => {
      resolve({ stdout, stderr, code: typeof error?.code === 'number' ? error.code : 0 });
    });
  });
}

test('trimtab agent is the program trimtab-agent', async () => {
  const help = await trimtab('agent', '--help');
  expect(help.stdout).toMatch(/^Usage: trimtab agent \[flags\] \[-- COMMAND…\]\n/);
  const role = await trimtab('agent', '--configmap=shop/foo', '--print-role');
  expect(role).toMatchObject({ stdout: expect.stringContaining('kind: Role'), stderr: '', code: 0 });
  expect(await trimtab('agent', '--configmap=foo', '--install-to', '/nowhere')).toMatchObject({
    stderr: 'error: --install-to copies the program trimtab-agent. Run `trimtab-agent --install-to DIR`.\n',
    code: 2,
  });
});

test('trimtab up is the program of npm start, in a checkout', async () => {
  const { stdout, stderr, code } = await trimtab('up', '--help');
  if (compiledProgram === undefined) {
    expect(stdout).toMatch(/^Usage: trimtab up \[flags\]\n/);
    expect(stdout).toContain('  trimtab up --state-dir /tmp/second --port 0\n');
  } else expect({ stderr, code }).toEqual({ stderr: expect.stringContaining('npx trimtab up'), code: 2 });
});

test('without a command, and with help, the commands are listed', async () => {
  const { stdout, code } = await trimtab('help');
  expect(stdout).toContain('Usage: trimtab COMMAND [flags]');
  expect(stdout).not.toContain('__complete');
  expect(code).toBe(0);
  expect((await trimtab('help', 'version')).stdout).toMatch(/^Usage: trimtab version \[flags\]\n/);
});
