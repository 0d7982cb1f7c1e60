/** Where the reader logs: fields, then a message, as the service does. */

export interface ReaderLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
