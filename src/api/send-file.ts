import type { BigIntStats } from 'node:fs'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { openGuarded } from '../core/files/guarded-files.ts'
import type { StoredResult } from '../core/jobs/files/stored-results.ts'
import type { FastifyReply, FastifyRequest } from './app-types.ts'
import type { ByteRange } from './byte-range.ts'
import { parseRange } from './byte-range.ts'
import { entityTags } from './etag.ts'

/** Validity of the address that a client is sent to. */
const redirectSeconds = 60

/** Headers that an error in place of the file does not have. */
const headersOfFile = [
  'accept-ranges',
  'content-disposition',
  'content-length',
  'content-range',
  'etag',
  'last-modified',
] as const

/** A file of the server's own choice that a client reads. */
export interface SentFile {
  path: string
  mediaType: string
  /** True if the path may be a symbolic link. */
  isLinkAllowed: boolean
}

/** Changes with every other file under the name, and when the file is written to. */
function etagOfFile({ ino, size, mtimeNs }: BigIntStats): string {
  return `"${ino.toString(36)}-${size.toString(36)}-${mtimeNs.toString(36)}"`
}

/** True if `If-Range` matches this file (RFC 9110, section 13.1.5): by its exact tag or its exact date. */
function hasRange({ headers }: FastifyRequest, etag: string, changedAt: string): boolean {
  const condition = headers['if-range']
  return condition === undefined || condition === etag || condition === changedAt
}

function isKnown({ headers }: FastifyRequest, etag: string, changedAt: string): boolean {
  const known = headers['if-none-match']
  if (known !== undefined) return known.trim() === '*' || entityTags(known).includes(etag)
  const since = headers['if-modified-since']
  return since !== undefined && Date.parse(since) >= Date.parse(changedAt)
}

async function openRegular({ path, isLinkAllowed }: SentFile): Promise<FileHandle | undefined> {
  const handle = await openGuarded(path, isLinkAllowed ? 0 : constants.O_NOFOLLOW).catch(() => undefined)
  if (handle === undefined || (await handle.stat()).isFile()) return handle
  await handle.close()
  return undefined
}

/** Values of the headers of a file. */
interface FileHead {
  etag: string
  changedAt: string
  size: number
}

function headOf(status: BigIntStats): FileHead {
  return { etag: etagOfFile(status), changedAt: status.mtime.toUTCString(), size: Number(status.size) }
}

function answerHead(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, changedAt, size }: FileHead,
): ByteRange | undefined {
  reply.headers({ etag, 'last-modified': changedAt, 'accept-ranges': 'bytes', 'cache-control': 'no-cache' })
  if (isKnown(request, etag, changedAt)) {
    reply.code(304)
    return undefined
  }
  const isRange = request.method === 'GET' && hasRange(request, etag, changedAt)
  const range = isRange ? parseRange(request.headers.range, size) : undefined
  if (range === 'unsatisfiable') {
    reply.code(416).headers({ 'content-range': `bytes */${size}`, 'content-length': '0' })
    return undefined
  }
  if (range !== undefined) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  }
  const sent = range ?? { start: 0, end: size - 1 }
  reply.header('content-length', String(sent.end - sent.start + 1))
  return request.method === 'HEAD' || size === 0 ? undefined : sent
}

/**
 * Sends a file, or the requested range of it; returns false if the file does not exist. The file is opened
 * once: a file that replaces it meanwhile does not mix into the response.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: SentFile,
): Promise<boolean> {
  const handle = await openRegular(file)
  if (handle === undefined) return false
  let isSent = false
  try {
    const range = answerHead(request, reply, headOf(await handle.stat({ bigint: true })))
    if (reply.statusCode !== 304 && reply.statusCode !== 416) reply.type(file.mediaType)
    isSent = range !== undefined
    reply.send(range === undefined ? undefined : handle.createReadStream(range))
    return true
  } finally {
    if (!isSent) await handle.close()
  }
}

/** Sends a file of the file store, or the requested range of it; or sends the client to a signed address. */
export async function sendStoredFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, store, redirects }: StoredResult,
  { mediaType, fileName }: { mediaType: string; fileName?: string },
): Promise<FastifyReply> {
  const signed = { expiresSeconds: redirectSeconds, fileName, mediaType }
  const url = redirects && request.method === 'GET' ? await store.signedUrl(file.key, signed) : undefined
  if (url !== undefined) return reply.header('cache-control', 'no-store').redirect(url, 307)
  const changedAt = new Date(file.modifiedMs).toUTCString()
  const head = { etag: `"${file.key.split('/').at(-1)}"`, changedAt, size: file.sizeBytes }
  const range = answerHead(request, reply, head)
  if (reply.statusCode !== 304 && reply.statusCode !== 416) reply.type(mediaType)
  if (range === undefined) return reply.send()
  const stream = await store.get(file.key, { range }).catch((error: unknown) => {
    for (const name of headersOfFile) reply.removeHeader(name)
    throw error
  })
  return reply.send(stream)
}
