import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** The environment variable with the path of the file that this reporter writes. */
export const unhandledErrorsVariable = 'TRIMTAB_UNHANDLED_ERRORS';

/**
 * A reporter of vitest that records errors outside of any test. Vitest's JSON report omits them, and its exit code is the
 * same as for a failed test. Without the record, a run whose failed tests pass when repeated would hide these errors.
 * @public vitest loads it by its path.
 */
export default class UnhandledErrorsReporter implements Reporter {
  onTestRunEnd(...[, errors]: Parameters<NonNullable<Reporter['onTestRunEnd']>>): void {
    const file = process.env[unhandledErrorsVariable];
    if (file !== undefined) writeFileSync(file, JSON.stringify(errors.map(({ message }) => message)));
  }
}
