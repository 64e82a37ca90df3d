import { pino } from 'pino';
import type { Logger } from '../../src/platform/log.ts';

/** For code under test that wants a log which nobody reads. */
export const silentLogger: Logger = pino({ level: 'silent' });
