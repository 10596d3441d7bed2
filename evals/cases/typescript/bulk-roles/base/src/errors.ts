/** An error that the caller is told, with its HTTP status; Fastify reads `statusCode`. */
export class Refused extends Error {
  constructor(
    readonly statusCode: 400 | 403 | 404 | 409,
    message: string,
  ) {
    super(message);
  }
}
