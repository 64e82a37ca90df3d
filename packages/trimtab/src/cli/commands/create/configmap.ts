import { clientCommand } from '../../client-command.ts';
import { createConfig, createFlags } from '../../create-config/create-config.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab create configmap',
    summary:
      'Creates a ConfigMap from files, folders or literals, as kubectl does; with a named first version, and with an owner.',
    positionals: { name: { required: true, help: 'Name of the ConfigMap.' } },
    flags: createFlags,
    examples: [
      {
        does: 'Create ConfigMap foo from a file',
        command: 'trimtab create configmap foo --from-file=config.yml',
      },
      {
        does: 'Create it for Deployment bar: edits of foo are released to bar',
        command: 'trimtab create configmap foo --from-file=config.yml --owner deployment/bar',
      },
      {
        does: 'Create it with its first version; its data then changes by new versions only',
        command: 'trimtab create configmap foo --from-file=config.yml --version=1.0.0',
      },
      {
        does: 'Print the ConfigMap without creating it',
        command: 'trimtab create configmap foo --from-literal=color=blue --dry-run=client -o yaml',
      },
    ],
  },
  (context) => createConfig({ kind: 'ConfigMap', name: context.positionals.name }, context),
);
