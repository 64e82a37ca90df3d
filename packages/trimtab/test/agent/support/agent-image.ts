import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { agentCommand, compiledAgent } from './agent-command.ts';

/** The image of the guide. */
export const agentImage = 'trimtab-agent:0.1.0';

const built = path.resolve(import.meta.dirname, '../../../../../dist/trimtab-agent');

/**
 * Makes the image of the agent available to pods, under its own name and under that of the document of config-controller.
 * Containers need the compiled agent; the local cluster runs the sources.
 */
export async function loadAgentImage(engine: Engine): Promise<void> {
  const binary = compiledAgent ?? built;
  if (engine.name === 'kubernetes' && !existsSync(binary))
    throw new Error(`${binary} does not exist. Build the agent with \`npm run build:agent\`.`);
  const [program, args] = agentCommand([]);
  await engine.loadBinaryImage({
    names: [agentImage, 'atombender/k8s-config-controller:latest'],
    binary,
    paths: ['/srv/config-controller', '/trimtab-agent'],
    user: '65532:65532',
    locally: [program, ...args],
  });
}
