import { compileProgram, expectExitCode } from './compile-program.ts';
import { agentProgram } from './programs.ts';

const help = `Usage: npm run build:agent [-- -o FILE]

Compiles the agent with Bun to one binary for this platform. The tests start the binary instead of the sources when the
environment variable TRIMTAB_AGENT_PROGRAM has its path.

  -o, --output FILE  path of the binary; defaults to dist/trimtab-agent
  -h, --help         print this text

Examples
  npm run build:agent
  npm run build:agent -- -o config-controller
`;

compileProgram({
  help,
  program: agentProgram,
  output: 'dist/trimtab-agent',
  check(binary) {
    expectExitCode(binary, ['--help'], 0);
    expectExitCode(binary, ['--configmap=a', '--print-role'], 0);
    expectExitCode(binary, [], 2);
  },
});
