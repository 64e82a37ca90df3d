import { appendFileSync } from 'node:fs';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import { readSettings } from '../../../src/agent/settings.ts';
import { agentProgram } from '../../../src/bin/agent-program.ts';
import { serveAgent } from '../../../src/bin/serve-agent.ts';

/**
 * The agent with a failpoint: it writes the name of each step to STEPS, and kills itself with SIGKILL at step number
 * KILL_AT. Steps are counted from 1; 0 kills at none.
 */
const { STEPS: file = '', KILL_AT: killAt = '0' } = process.env;
let count = 0;

const parsed = parseConfig(agentProgram, { argv: process.argv.slice(2), env: process.env });
if (parsed.kind !== 'run') throw new Error('usage: agent-killed-at.ts with the flags of trimtab-agent');
const { settings } = readSettings(parsed.flags, parsed.rest, new Set(parsed.order), parsed.order);
await serveAgent(parsed.flags, settings, (step) => {
  count += 1;
  appendFileSync(file, `${step}\n`);
  if (count === Number(killAt)) process.kill(process.pid, 'SIGKILL');
});
