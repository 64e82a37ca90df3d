/**
 * An error that the user can understand and correct. `message` is one sentence. `details` are further lines, such as
 * the end of a log or a command to run.
 */
export class BedError extends Error {
  override readonly name = 'BedError';
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = [], options?: ErrorOptions) {
    super(message, options);
    this.details = details;
  }
}
