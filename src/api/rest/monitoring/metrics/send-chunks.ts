import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import type { AnswerPart } from '../../../../monitoring/query/index.ts'
import type { FastifyReply } from '../../../app-types.ts'

/**
 * Sends JSON from the reader threads unchanged. Reads the next part after the client has taken the previous
 * ones.
 */
export async function sendParts(
  reply: FastifyReply,
  parts: AsyncGenerator<AnswerPart, void, undefined>,
): Promise<FastifyReply> {
  const { value: first } = await parts.next()
  if (first === undefined) throw new Error('An answer has at least one part')
  reply.type('application/json; charset=utf-8')
  if (!first.isLast) return reply.send(Readable.from(bytesOf(first, parts), { objectMode: false }))
  await parts.return()
  return reply.send(bufferOf(first))
}

async function* bytesOf(first: AnswerPart, rest: AsyncGenerator<AnswerPart>): AsyncGenerator<Buffer> {
  try {
    yield bufferOf(first)
    for await (const part of rest) yield bufferOf(part)
  } finally {
    await rest.return(undefined)
  }
}

function bufferOf({ bytes: { buffer, byteOffset, byteLength } }: AnswerPart): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
