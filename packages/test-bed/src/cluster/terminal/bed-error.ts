/**
 * Something is wrong that the person at the keyboard can understand and mend. `message` is one sentence;
 * `details` are further lines: the end of a log, or the command that helps.
 */
export class BedError extends Error {
  override readonly name = 'BedError';
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = [], options?: ErrorOptions) {
    super(message, options);
    this.details = details;
  }
}
