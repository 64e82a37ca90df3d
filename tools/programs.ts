import { gitCommit } from '../bench/git-commit.ts';

/** A program that Bun compiles to one binary. */
export interface Program {
  /** The file that starts the program, relative to the repository. */
  entry: string;
  /** Modules that are not part of the binary. */
  external: readonly string[];
  /** Names in the sources that are replaced by these texts. */
  define?: Readonly<Record<string, string>>;
}

/** All commands except up and local, which need a checkout. It prints the commit of this clone as its version. */
export async function trimtabProgram(): Promise<Program> {
  const commit = await gitCommit();
  return {
    entry: 'packages/trimtab/src/bin/trimtab.ts',
    external: ['@trimtab/local-cluster/*', '@trimtab/demo/*'],
    define: { TRIMTAB_COMMIT: commit === 'unknown' ? '' : commit },
  };
}

export const agentProgram: Program = {
  entry: 'packages/trimtab/src/bin/trimtab-agent.ts',
  // Only kubeconfigs with an auth provider need it, and no pod has one.
  external: ['@kubernetes/client-node/*'],
};
