import type { Flag, Flags, ParsedFlags, ParsedPositionals, Positionals } from '@trimtab/kube/flags/flags.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { Program } from '@trimtab/kube/flags/program.ts';
import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import type { Command } from '@trimtab/kube/flags/run-command.ts';
import { accessFlags, accessOptions } from '@trimtab/kube/identity/access-flags.ts';
import { type Cluster, openCluster } from './cluster/cluster.ts';
import { reportFailure } from './failure.ts';
import { Screen } from './output/screen.ts';

/** The flags of every command that talks to a cluster, with kubectl's names and meanings. */
export const clusterFlags = {
  namespace: {
    type: 'string',
    short: 'n',
    placeholder: 'NAME',
    completes: 'namespace',
    help: 'Namespace of the objects. Defaults to the namespace of the kubeconfig context.',
  },
  ...accessFlags,
  requestTimeout: {
    type: 'duration',
    default: '30s',
    help: 'Time to wait for a single request to the API server before giving up.',
  },
} as const satisfies Record<string, Flag>;

type ClusterFlags = ParsedFlags<typeof clusterFlags>;

export interface CommandContext<F extends Flags, P extends Positionals> {
  flags: ParsedFlags<F> & ClusterFlags;
  positionals: ParsedPositionals<P>;
  /** Arguments after `--`. */
  rest: readonly string[];
  io: ProgramIo;
  /** Standard output, with colours where it is a terminal. */
  screen: Screen;
  /** Opens the cluster of the flags and the kubeconfig. The connection is closed when the command ends. */
  cluster(): Promise<Cluster>;
  /** Prints `Warning: …` on standard error, as kubectl does. */
  warn(text: string): void;
}

/** A command with its declaration, which the reference and the completion use. */
export interface ClientCommand extends Command {
  program: Program;
  run(argv: string[], io: ProgramIo): Promise<number>;
}

/**
 * A command of the command line that talks to a cluster. `execute` returns the exit code: 0 done, 1 refused or failed,
 * 3 rolled back, 4 timed out. What it throws is printed as kubectl prints it, with a hint where one is known.
 * `failureExitCode` replaces the exit code of all failures, for a command whose other codes have another meaning.
 */
export function clientCommand<const F extends Flags, const P extends Positionals = Record<never, never>>(
  declared: Omit<Program<F, P>, 'envPrefix'>,
  execute: (context: CommandContext<F, P>) => Promise<number>,
  { failureExitCode }: { failureExitCode?: number } = {},
): ClientCommand {
  // Only KUBECONFIG is read from the environment: a variable such as TRIMTAB_VERSION must not choose a version.
  const program: Program = {
    ...(declared as Omit<Program, 'envPrefix'>),
    envPrefix: false,
    flags: { ...declared.flags, ...clusterFlags },
  };
  return {
    program,
    async run(argv, io) {
      const named = { ...program, name: program.name.replace(/^trimtab\b/, io.programName) };
      let open: Promise<Cluster> | undefined;
      try {
        const parsed = parseConfig(named, { argv, env: io.env });
        if (parsed.kind === 'help') {
          io.stdout.write(parsed.text);
          return 0;
        }
        // The values have the types of the same declaration, which `Program` does not carry.
        const flags = parsed.flags as unknown as ParsedFlags<F> & ClusterFlags;
        const positionals = parsed.positionals as ParsedPositionals<P>;
        return await execute({
          ...{ flags, positionals, rest: parsed.rest, io },
          screen: new Screen(io.stdout, io.env),
          cluster() {
            open ??= openCluster(accessOptions(flags), flags, io.env);
            return open;
          },
          warn: (text) => void io.stderr.write(`Warning: ${text}\n`),
        });
      } catch (error) {
        const exitCode = reportFailure(error, io);
        return failureExitCode ?? exitCode;
      } finally {
        await open?.then(({ close }) => close()).catch(() => {});
      }
    },
  };
}
