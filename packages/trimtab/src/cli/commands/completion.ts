import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import { completionScript, type Shell, shells } from '../completion/scripts.ts';

export const program = {
  name: 'trimtab completion',
  envPrefix: false,
  summary:
    'Prints a script that completes commands, flags, and names of the cluster: configs, versions, workloads and namespaces. For `kubectl trimtab`, kubectl looks for a program named kubectl_complete-trimtab on the PATH; a link of that name to trimtab is sufficient.',
  flags: {},
  positionals: {
    shell: { required: true, help: `Shell of the script: ${shells.join(', ')}.`, completes: shells },
  },
  examples: [
    { does: 'Complete in this bash', command: 'source <(trimtab completion bash)' },
    { does: 'Complete in every bash', command: "echo 'source <(trimtab completion bash)' >> ~/.bashrc" },
    { does: 'Complete in every zsh', command: "echo 'source <(trimtab completion zsh)' >> ~/.zshrc" },
    {
      does: 'Complete in every fish',
      command: 'trimtab completion fish > ~/.config/fish/completions/trimtab.fish',
    },
    {
      does: 'Complete in every PowerShell',
      command: 'trimtab completion powershell >> $PROFILE',
    },
    {
      does: 'Complete `kubectl trimtab` as well',
      command: 'ln -s "$(command -v trimtab)" ~/.local/bin/kubectl_complete-trimtab',
    },
  ],
} as const;

export function run(argv: string[], io: ProgramIo): number {
  const parsed = parseConfig(program, { argv, env: io.env });
  if (parsed.kind === 'help') {
    io.stdout.write(parsed.text);
    return 0;
  }
  const { shell } = parsed.positionals;
  if (!isShell(shell))
    throw new OperationalError(
      errors.ConfigInvalid,
      `unsupported shell '${shell}': must be one of ${shells.join(', ')}`,
    );
  io.stdout.write(completionScript(shell));
  return 0;
}

function isShell(text: string): text is Shell {
  return shells.some((each) => each === text);
}
