import { enableCompileCache } from 'node:module';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { runMain } from '@trimtab/kube/flags/run-command.ts';
import { runAgent } from './agent.ts';
import { agentProgram } from './agent-program.ts';

enableCompileCache();

function ownBinary(): string {
  if (process.versions['bun'] !== undefined) return process.execPath;
  throw new OperationalError(
    errors.ConfigInvalid,
    '--install-to copies the compiled program. Build it with `npm run build:agent`, and run the result.',
  );
}

// Not awaited: the bytecode of a compiled program cannot wait at the top level.
void runMain((argv) => runAgent(agentProgram, argv, ownBinary));
