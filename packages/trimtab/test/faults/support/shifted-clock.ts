/**
 * For `node --import`: sets the wall clock one hour forward at the first SIGUSR2, two hours back at the second, and so
 * on. The monotonic clock (`performance.now`) is not affected, as with the real clock.
 */
const hour = 3_600_000;
const RealDate = Date;
let offset = 0;

class ShiftedDate extends RealDate {
  constructor(value?: number | string | Date) {
    super(value ?? RealDate.now() + offset);
  }

  static override now(): number {
    return RealDate.now() + offset;
  }
}

process.on('SIGUSR2', () => {
  offset = offset <= 0 ? hour : -hour;
});
globalThis.Date = ShiftedDate as DateConstructor;
