import { configRolloutSchema } from 'trimtab/api/config-rollout.ts';

interface Node {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  properties?: Record<string, Node>;
  items?: Node;
}

/** A table of every field that a person may write, and one of what Trimtab answers. */
export function configRolloutReference(): string {
  const { spec, status } = (configRolloutSchema.openapi as Node).properties ?? {};
  return `# ConfigRollout

Generated from \`packages/trimtab/src/api/config-rollout.ts\` by \`npm run generate\`.

One for each managed config, in its namespace, named \`configmap-NAME\` or \`secret-NAME\`. Trimtab makes it when a workload
opts in; you may make it before, to choose the strategy.

## spec

${table('spec', spec)}

## status

Written by Trimtab alone; a summary that is made anew from the versions and workloads when it is lost.

${table('status', status)}
`;
}

function table(path: string, node: Node | undefined): string {
  return ['| field | type | default | what it is |', '|---|---|---|---|', ...rows(path, node)].join('\n');
}

function rows(path: string, node: Node | undefined): string[] {
  return Object.entries(node?.properties ?? {}).flatMap(([name, field]) => {
    const own = `${path}.${name}${field.type === 'array' ? '[]' : ''}`;
    const inner = field.type === 'array' ? field.items : field;
    const row = `| \`${own}\` | ${typeOf(field)} | ${defaultOf(field)} | ${field.description ?? ''} |`;
    return [row, ...rows(own, inner)];
  });
}

function typeOf({ type, enum: choices }: Node): string {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  return type ?? 'integer or percentage';
}

function defaultOf({ default: value }: Node): string {
  return value === undefined || typeof value === 'object' ? '' : `\`${value}\``;
}
