import { pino } from 'pino';
import type { Logger } from './log.ts';

/** A logger without output, for tests and for callers that do not want logs. */
export const silentLogger: Logger = pino({ level: 'silent' });
