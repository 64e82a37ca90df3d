import { compileProgram, expectExitCode } from './compile-program.ts';

const help = `Usage: npm run build [-- -o FILE]

Compiles Trimtab with Bun to one binary for this platform: controller, gateway, proxy, stamp and manifests. The local cluster is
not part of it. The tests start the binary instead of the sources when the environment variable TRIMTAB_PROGRAM has its path.

  -o, --output FILE  path of the binary; defaults to dist/trimtab
  -h, --help         print this text

Examples
  npm run build
  npm run build -- -o /tmp/trimtab
`;

compileProgram({
  help,
  entry: 'packages/trimtab/src/bin/trimtab.ts',
  output: 'dist/trimtab',
  external: ['@trimtab/local-cluster/*'],
  check(binary) {
    // Each command is imported when it runs, so one that does not load would be noticed late.
    for (const command of ['controller', 'gateway', 'proxy', 'stamp', 'manifests'])
      expectExitCode(binary, [command, '--help'], 0);
    // The local cluster is not part of the binary.
    expectExitCode(binary, ['local'], 2);
  },
});
