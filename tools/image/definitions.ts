import { agentProgram, type Program, trimtabProgram } from '../programs.ts';

/** An image that this repository releases. */
export interface ImageDefinition {
  name: string;
  description: string;
  program(): Program | Promise<Program>;
  /** Whether the image has the certificates of public authorities. */
  certificates: boolean;
  env: readonly string[];
  /** The level of zstd that compresses the program. */
  level: number;
  /** Maximum compressed size in bytes. */
  budget: number;
}

export const imageDefinitions: readonly ImageDefinition[] = [
  {
    name: 'trimtab',
    description:
      'Controller, gateway and webhook of Trimtab, which releases Kubernetes configuration as versions',
    program: trimtabProgram,
    certificates: true,
    // Bun trusts its own list of authorities otherwise, and an operator could not add one by mounting the file.
    env: ['NODE_USE_SYSTEM_CA=1'],
    // It changes with every commit, and few nodes pull it.
    level: 12,
    budget: 60e6,
  },
  {
    name: 'trimtab-agent',
    description:
      'Agent of Trimtab: writes configuration into files and makes the application of the pod reload it',
    program: () => agentProgram,
    certificates: false,
    env: [],
    // Every node pulls it.
    level: 18,
    budget: 45e6,
  },
];
