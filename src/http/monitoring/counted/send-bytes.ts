import { Buffer } from 'node:buffer'
import type { FastifyReply } from '../../app-types.ts'

/** Answers JSON that was made in the reader thread, as it is. */
export function sendBytes(reply: FastifyReply, { buffer, byteOffset, byteLength }: Uint8Array): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Buffer.from(buffer, byteOffset, byteLength))
}
