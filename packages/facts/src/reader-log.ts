/** The log of the reader: fields, then a message, as in the service. */

export interface ReaderLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
