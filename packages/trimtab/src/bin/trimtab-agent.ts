import { enableCompileCache } from 'node:module';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import { runMain } from '@trimtab/kube/flags/run-command.ts';
import { installBinary } from '../agent/install-binary.ts';
import { roleManifest } from '../agent/print-role.ts';
import { readSettings } from '../agent/settings.ts';
import { agentProgram } from './agent-program.ts';

enableCompileCache();

async function run(argv: string[]): Promise<number | undefined> {
  const parsed = parseConfig(agentProgram, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { flags, rest, order } = parsed;
  if (flags.installTo !== undefined) {
    process.stdout.write(`${installBinary(ownBinary(), flags.installTo)}\n`);
    return 0;
  }
  const { settings } = readSettings(flags, rest, new Set(order), order);
  if (flags.printRole) {
    process.stdout.write(roleManifest(settings.refs));
    return 0;
  }
  // Imported on demand: the commands above need neither a client nor a server.
  const { serveAgent } = await import('./serve-agent.ts');
  return serveAgent(flags, settings);
}

function ownBinary(): string {
  if (process.versions['bun'] !== undefined) return process.execPath;
  throw new OperationalError(
    errors.ConfigInvalid,
    '--install-to copies the compiled program. Build it with `npm run build:agent`, and run the result.',
  );
}

// Not awaited: the bytecode of a compiled program cannot wait at the top level.
void runMain(run);
