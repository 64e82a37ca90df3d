import { clientCommand } from '../client-command.ts';
import { configArgument } from '../object-argument.ts';
import { outputFlag, outputFormat, renderObject } from '../output/format.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab versions',
    summary: 'Lists the versions of a config: state, age, who created them, and how many pods use them.',
    positionals: { config: { required: true, help: 'Config as TYPE/NAME; a bare name is a ConfigMap.' } },
    flags: { output: outputFlag },
    examples: [{ does: 'List the versions of ConfigMap foo', command: 'trimtab versions foo' }],
  },
  async ({ flags, positionals, cluster, screen }) => {
    const config = configArgument(positionals.config);
    const format = outputFormat(flags.output);
    const { namespace } = await cluster();
    screen.write(renderObject(format, { ...config, namespace }, []) ?? 'todo\n');
    return 0;
  },
);
