import { typedConfig } from '../view/describe-change.ts';

interface Typed {
  io: { programName: string };
  flags: { namespace: string | undefined; context: string | undefined };
}

/** A command for the user to run, with the namespace and the context of this one: `trimtab status foo -w -n shop`. */
export function suggestedCommand(
  { io, flags }: Typed,
  command: string,
  config: { kind: string; name: string },
  rest = '',
): string {
  const scope = [
    flags.namespace !== undefined && `-n ${flags.namespace}`,
    flags.context !== undefined && `--context ${flags.context}`,
  ].filter(Boolean);
  const words = [io.programName, command, typedConfig(config), rest, ...scope];
  return `\`${words.filter((word) => word !== '').join(' ')}\``;
}
