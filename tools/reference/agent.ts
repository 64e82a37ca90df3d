import { environmentName, type Flag, flagName } from '@trimtab/kube/flags/flags.ts';
import { accessFlags } from '@trimtab/kube/identity/access-flags.ts';
import { agentProgram } from 'trimtab/bin/agent-program.ts';

/** The flags of the agent, in the order of its help. */
export function agentReference(): string {
  const flags = Object.entries<Flag>(agentProgram.flags).filter(([, { hidden }]) => hidden !== true);
  const isAccess = ([name]: [string, Flag]) => Object.hasOwn(accessFlags, name);
  const hidden = Object.entries<Flag>(agentProgram.flags)
    .filter(([, flag]) => flag.hidden === true)
    .map(([name]) => `\`--${flagName(name)}\``);
  const examples = agentProgram.examples.map(({ does, command }) => `# ${does}\n${command}`);
  return `# trimtab-agent

Generated from the code by \`npm run generate\`. [Reload an app](../guides/reload-an-app.md) shows how to use the agent.

${agentProgram.summary}

\`\`\`sh
${examples.join('\n\n')}
\`\`\`

A flag takes precedence over its environment variable. In the variable of a flag that may be repeated, commas separate the
values. All problems with the flags are reported at once, with exit code 2.

## Flags

${table(flags.filter((flag) => !isAccess(flag)))}

## Access to the cluster

These flags have the names and meanings of kubectl. In a pod, none of them is needed: the agent uses the service account.

${table(flags.filter(isAccess))}

These flags of klog and kubectl are accepted, and have no effect: ${hidden.join(', ')}.
`;
}

function table(flags: [string, Flag][]): string {
  const rows = flags.map(([name, flag]) => {
    const short = flag.short === undefined ? '' : `, \`-${flag.short}\``;
    const standard = 'default' in flag && flag.default !== undefined ? `\`${flag.default}\`` : '';
    const variable = environmentName(agentProgram, name, flag);
    const help = flag.help.replaceAll('|', '\\|');
    return `| \`--${flagName(name)}\`${short} | ${help} | ${standard} | ${variable === undefined ? '' : `\`${variable}\``} |`;
  });
  return ['| flag | meaning | default | variable |', '|---|---|---|---|', ...rows].join('\n');
}
