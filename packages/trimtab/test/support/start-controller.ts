import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { type ControllerOptions, ControllerProcess } from './controller-process.ts';
import { InProcessController } from './in-process-controller.ts';
import type { RunningController } from './running-controller.ts';
import { compiledProgram } from './trimtab-command.ts';

/**
 * Starts a controller and waits until it reconciles. On the local cluster it runs in the process of the test, unless
 * the options or TRIMTAB_PROGRAM select another program.
 */
export function startController(
  engine: Engine,
  namespace: string,
  options: ControllerOptions = {},
): Promise<RunningController> {
  const isOtherProgram =
    compiledProgram !== undefined || options.program !== undefined || options.nodeFlags !== undefined;
  return engine.name === 'local' && !isOtherProgram
    ? InProcessController.start(engine, namespace, options)
    : ControllerProcess.start(engine, namespace, options);
}
