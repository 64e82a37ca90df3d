import { configRolloutSchema } from 'trimtab/api/config-rollout.ts';

interface Node {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  properties?: Record<string, Node>;
  items?: Node;
}

/** Two tables: the fields of the spec, which users write, and of the status, which Trimtab writes. */
export function configRolloutReference(): string {
  const { spec, status } = (configRolloutSchema.openapi as Node).properties ?? {};
  return `# ConfigRollout

Generated from \`packages/trimtab/src/api/config-rollout.ts\` by \`npm run generate\`.

Each managed config has one ConfigRollout in its namespace, named \`configmap-NAME\` or \`secret-NAME\`. Trimtab creates it when
a workload opts in. You can create it before, to choose the strategy. [The design](../design.md) describes the phases, and
[the reasons](reasons.md) of conditions are listed in the reference.

## spec

${table('spec', spec)}

## status

Only Trimtab writes the status. It is a summary that Trimtab rebuilds from the versions and workloads when it is lost.

${table('status', status)}
`;
}

function table(path: string, node: Node | undefined): string {
  return ['| field | type | default | description |', '|---|---|---|---|', ...rows(path, node)].join('\n');
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
