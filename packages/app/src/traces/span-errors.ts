import type { Attributes } from '@opentelemetry/api';
import * as conventions from '@opentelemetry/semantic-conventions';
import { errorFields } from '../logging/error-fields.ts';

/** The type of an error: its code (SQLSTATE or the system's), else its name. */
export function errorType(error: unknown): string {
  const { code, type } = errorFields(error);
  return code ?? type;
}

/** An error as an event of a span, with the log's fields only, and so without values quoted by a database. */
export function exceptionAttributes(error: unknown): Attributes {
  const { type, message, stack } = errorFields(error);
  return {
    [conventions.ATTR_EXCEPTION_TYPE]: type,
    [conventions.ATTR_EXCEPTION_MESSAGE]: message,
    ...(stack !== undefined && { [conventions.ATTR_EXCEPTION_STACKTRACE]: stack }),
  };
}
