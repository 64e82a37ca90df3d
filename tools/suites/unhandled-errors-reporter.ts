import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** Names the file that this reporter writes. */
export const unhandledErrorsVariable = 'TRIMTAB_UNHANDLED_ERRORS';

/**
 * A reporter of vitest that writes down errors outside of any test. Vitest's JSON report leaves them out, and its exit
 * code is the same as for a failed test: a run whose failed tests pass when repeated would hide them.
 * @public vitest loads it by its path.
 */
export default class UnhandledErrorsReporter implements Reporter {
  onTestRunEnd(...[, errors]: Parameters<NonNullable<Reporter['onTestRunEnd']>>): void {
    const file = process.env[unhandledErrorsVariable];
    if (file !== undefined) writeFileSync(file, JSON.stringify(errors.map(({ message }) => message)));
  }
}
