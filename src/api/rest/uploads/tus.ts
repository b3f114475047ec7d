import { Failure, invalid } from '../../../core/errors/errors.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'

/** The supported protocol version: https://tus.io/protocols/resumable-upload */
export const tusVersion = '1.0.0'
export const tusExtensions = 'creation,creation-with-upload,expiration,termination'
export const pieceType = 'application/offset+octet-stream'

const longestMetadata = 4096
const decimal = /^\d{1,16}$/

/** Refuses clients of another version; who names none is taken at their word. */
export function requireTus(request: FastifyRequest, reply: FastifyReply): void {
  const version = request.headers['tus-resumable']
  if (version === undefined || version === tusVersion) return
  reply.header('tus-version', tusVersion)
  throw new Failure(
    'precondition',
    'unknown-tus-version',
    `This server supports tus ${tusVersion}, found "${String(version)}"`,
  )
}

/** A number of bytes in a header; undefined where there is none. Throws `Failure` (`invalid-header`). */
export function bytesIn({ headers }: FastifyRequest, name: string): number | undefined {
  const text = headers[name]
  if (text === undefined) return undefined
  if (typeof text === 'string' && decimal.test(text) && Number.isSafeInteger(Number(text)))
    return Number(text)
  throw invalid('invalid-header', `${name} must be a number of bytes, found "${String(text)}"`)
}

/**
 * Returns a client's metadata of the file: keys with base64 values, separated by commas. Throws `Failure`
 * (`invalid-header`).
 */
export function metadataIn({ headers }: FastifyRequest): Map<string, string> {
  const text = headers['upload-metadata'] ?? ''
  if (typeof text !== 'string' || text.length > longestMetadata)
    throw invalid('invalid-header', `upload-metadata has at most ${longestMetadata} characters`)
  const found = new Map<string, string>()
  for (const part of text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')) {
    const [key = '', value = '', ...more] = part.split(' ')
    if (more.length > 0 || !/^[\w+/=-]*$/.test(value))
      throw invalid(
        'invalid-header',
        `upload-metadata has keys with values in base64, found "${part.slice(0, 50)}"`,
      )
    found.set(key.toLowerCase(), Buffer.from(value, 'base64').toString('utf8'))
  }
  return found
}
