import { pino } from 'pino';
import type { Logger } from './log.ts';

/** A log that nobody reads: of tests, and where somebody wants none. */
export const silentLogger: Logger = pino({ level: 'silent' });
