import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ProgramIo } from './program-io.ts';
import { type CommandTable, runCommand } from './run-command.ts';

const flags = {
  namespace: { type: 'string', short: 'n', help: 'The namespace.' },
  verbose: { type: 'boolean', short: 'v', help: 'More text.' },
} as const;

/** Runs a command line on a table whose commands return their own words. */
async function run(argv: string[]): Promise<{ ran: string[]; stdout: string }> {
  const ran: string[] = [];
  const command = (name: string) => async () => ({
    run: (args: string[]) => {
      ran.push(name, ...args);
      return 0;
    },
  });
  const table: CommandTable = {
    name: 'ship',
    summary: 'Steers.',
    leadingFlags: flags,
    commands: {
      steer: { does: 'turn the rudder', aliases: ['turn'], load: command('steer') },
      set: {
        does: 'set things',
        section: 'More',
        table: {
          summary: 'Sets things.',
          commands: { course: { does: 'set the course', load: command('set course') } },
        },
      },
      old: { does: 'nothing', hidden: true, load: command('old') },
    },
  };
  let stdout = '';
  const io: ProgramIo = {
    programName: 'ship',
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: () => {} },
    stdin: Readable.from([]),
    env: {},
    onInterrupt: () => () => {},
  };
  await runCommand(table, argv, io);
  return { ran, stdout };
}

describe('a program with commands', () => {
  test('runs a command by its name, an alias, or two words', async () => {
    expect((await run(['steer', 'port', '-v'])).ran).toEqual(['steer', 'port', '-v']);
    expect((await run(['turn'])).ran).toEqual(['steer']);
    expect((await run(['set', 'course', '90'])).ran).toEqual(['set course', '90']);
  });

  test('takes flags before the command, as kubectl does', async () => {
    expect((await run(['-n', 'sea', 'steer', 'port'])).ran).toEqual(['steer', 'port', '-n', 'sea']);
    expect((await run(['--namespace=sea', '-v', 'set', 'course', '90'])).ran).toEqual([
      'set course',
      '90',
      '--namespace=sea',
      '-v',
    ]);
    expect((await run(['-nsea', 'steer', '--', 'a'])).ran).toEqual(['steer', '-nsea', '--', 'a']);
    expect((await run(['set', '-n', 'sea', 'course'])).ran).toEqual(['set course', '-n', 'sea']);
  });

  test('prints its commands by section', async () => {
    const help = `Steers.

Usage: ship COMMAND [flags]

  steer  turn the rudder

More:
  set    set things

Run \`ship COMMAND --help\` for help on a command.
`;
    for (const argv of [[], ['--help'], ['-h'], ['help']]) expect((await run(argv)).stdout).toBe(help);
    expect((await run(['set', '--help'])).stdout).toContain('Usage: ship set COMMAND [flags]');
    expect((await run(['help', 'set'])).stdout).toContain('Usage: ship set COMMAND [flags]');
  });

  test('passes help on to the command', async () => {
    expect((await run(['help', 'steer'])).ran).toEqual(['steer', '--help']);
    expect((await run(['help', 'set', 'course'])).ran).toEqual(['set course', '--help']);
  });

  test('refuses an unknown command and suggests a similar one', async () => {
    await expect(run(['ster'])).rejects.toThrow("unknown command 'ship ster'. Did you mean `ship steer`?");
    await expect(run(['set', 'xyz'])).rejects.toThrow(
      "unknown command 'ship set xyz'. Run `ship set --help`",
    );
    await expect(run(['toString'])).rejects.toThrow("unknown command 'ship toString'.");
    await expect(run(['-n', 'sea'])).rejects.toThrow('ship: a command is required');
  });
});
