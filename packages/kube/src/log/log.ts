import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { redactFields, serializeError } from './log-redaction.ts';

/**
 * Call a Logger with fields first and a constant message: `log.info({ object: ref }, 'lease acquired')`. Pass
 * Kubernetes objects as `object` (or `objects`) and an error as `err`. Contents of objects are never logged; see
 * log-redaction.ts.
 */
export type Logger = PinoLogger;

export interface LoggerOptions {
  program: string;
  /** A log level of pino: trace, debug, info, warn, error, fatal or silent. */
  level: string;
  /** Defaults to standard error, because standard output is reserved for the output of a program. */
  destination?: DestinationStream;
}

export function createLogger(options: LoggerOptions): Logger {
  const logger: Logger = pino(
    {
      level: options.level,
      base: { program: options.program },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // `logMethod` has already serialized errors; pino's error serializer would add fields to them.
      serializers: { err: (fields: unknown) => fields },
      hooks: {
        logMethod(args: unknown[], write) {
          const [first, second] = args;
          // Format arguments (%s, %o) are dropped, because they would bypass redaction.
          if (typeof first === 'string') return write.call(this, first);
          const fields = first instanceof Error ? { err: serializeError(first, withStack) } : redact(first);
          return typeof second === 'string' ? write.call(this, fields, second) : write.call(this, fields);
        },
      },
    },
    options.destination ?? destination(2),
  );
  const withStack = () => logger.isLevelEnabled('debug');
  const redact = (fields: unknown) => redactFields(fields, withStack);
  redactBindings(logger, redact);
  return logger;
}

/** Redacts the bindings of child loggers here, because pino calls no hook for them. */
function redactBindings(logger: Logger, redact: (fields: unknown) => Record<string, unknown>): void {
  const { child, setBindings } = logger;
  Object.defineProperties(logger, {
    child: {
      value(this: Logger, bindings: unknown, ...rest: [options?: Parameters<Logger['child']>[1]]) {
        return child.call(this, redact(bindings), ...rest);
      },
    },
    setBindings: {
      value(this: Logger, bindings: unknown) {
        setBindings.call(this, redact(bindings));
      },
    },
  });
}
