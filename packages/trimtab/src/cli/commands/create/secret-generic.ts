import { clientCommand } from '../../client-command.ts';
import { createConfig, createFlags } from '../../create-config/create-config.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab create secret generic',
    summary:
      'Creates a Secret from files, folders or literals, as kubectl does; with a named first version, and with an owner.',
    positionals: { name: { required: true, help: 'Name of the Secret.' } },
    flags: {
      ...createFlags,
      type: { type: 'string', help: 'Type of the Secret. Defaults to Opaque.' },
    },
    examples: [
      {
        does: 'Create Secret bar from files',
        command: 'trimtab create secret generic bar --from-file=user.txt --from-file=password.txt',
      },
      {
        does: 'Create it with its first version',
        command: 'trimtab create secret generic bar --from-env-file=bar.env --version=1.0.0',
      },
    ],
  },
  (context) =>
    createConfig({ kind: 'Secret', name: context.positionals.name, type: context.flags.type }, context),
);
