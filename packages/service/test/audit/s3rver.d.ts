/** The S3-compatible server that tests use comes without types. */
declare module '@20minutes/s3rver' {
  export default class S3rver {
    constructor(options: object);
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
