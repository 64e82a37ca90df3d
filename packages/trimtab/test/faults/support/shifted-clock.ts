/**
 * For `node --import`: a wall clock that is set one hour forward at the first SIGUSR2, two hours back at the second,
 * and so on. Time that is measured (`performance.now`) goes on as it does when somebody sets the real one.
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
