import { eachCommand } from '@trimtab/kube/flags/run-command.ts';
import { trimtabCommands } from 'trimtab/bin/commands.ts';
import { compileProgram, expectExitCode } from './compile-program.ts';
import { trimtabProgram } from './programs.ts';

const help = `Usage: npm run build [-- -o FILE]

Compiles Trimtab with Bun to one binary for this platform: all commands except up and local, which need a
checkout. The tests start the binary instead of the sources when the environment variable TRIMTAB_PROGRAM has its path.

  -o, --output FILE  path of the binary; defaults to dist/trimtab
  -h, --help         print this text

Examples
  npm run build
  npm run build -- -o /tmp/trimtab
`;

/** They are not part of the binary. */
const checkoutOnly = ['up', 'local'];

compileProgram({
  help,
  program: await trimtabProgram(),
  output: 'dist/trimtab',
  check(binary) {
    expectExitCode(binary, ['--help'], 0);
    expectExitCode(binary, ['version', '--client'], 0);
    // Each command is imported when it runs, so one that does not load would be noticed late.
    for (const { words, entry } of eachCommand(trimtabCommands))
      if (!entry.hidden)
        expectExitCode(binary, [...words, '--help'], checkoutOnly.includes(words[0] ?? '') ? 2 : 0);
    expectExitCode(binary, ['__complete', ''], 0);
  },
});
