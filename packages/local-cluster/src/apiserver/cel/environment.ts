import { Environment } from '@marcbachmann/cel-js';
import { registerComprehensions } from './comprehensions.ts';
import { registerLists } from './lists.ts';
import { registerOptionals } from './optionals.ts';
import { registerSets } from './sets.ts';
import { registerStrings } from './strings.ts';

/** Returns an environment with the options and the functions that all expressions in Kubernetes have. */
export function kubernetesEnvironment(options: { unlistedVariablesAreDyn?: boolean } = {}): Environment {
  const environment = new Environment({
    ...options,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
  });
  registerComprehensions(environment);
  registerLists(environment);
  registerOptionals(environment);
  registerSets(environment);
  registerStrings(environment);
  return environment;
}
