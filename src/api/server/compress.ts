import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { BrotliOptions, ZlibOptions } from 'node:zlib'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { chooseEncoding } from '../accepted-encodings.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { addVary } from '../caching.ts'

/** Texts that are worth it; not events, which must not wait, nor what comes by ranges. */
const compressible =
  /^(?:application\/(?:[\w.+-]*[+_])?(?:json|xml)|text\/(?:plain|html|css|csv|xml|javascript))/
const minLength = 1024
/** Responses that contain a secret beside client input are not compressed: their length would leak it. */
const secretPaths = /^\/rest\/security(?=[/?]|$)/

const gzipOptions = { level: 5 }
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const compressWhole = {
  gzip: (bytes: string | Buffer) => promisify<string | Buffer, ZlibOptions, Buffer>(gzip)(bytes, gzipOptions),
  br: (bytes: string | Buffer) =>
    promisify<string | Buffer, BrotliOptions, Buffer>(brotliCompress)(bytes, brotliOptions),
}
const compressor = { gzip: () => createGzip(gzipOptions), br: () => createBrotliCompress(brotliOptions) }

/** Compresses text responses while they are sent, outside this thread. */
export function compressAnswers(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isWorthIt(request, reply, payload)) return compress(request, reply, payload)
    return done(null, payload)
  })
}

async function compress(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  addVary(reply, 'Accept-Encoding')
  const encoding = chooseEncoding(['br', 'gzip'], request.headers['accept-encoding'])
  if (encoding === undefined) return payload
  reply.header('content-encoding', encoding).removeHeader('content-length')
  weaken(reply)
  if (!(payload instanceof Readable)) return compressWhole[encoding](payload as string | Buffer)
  const compressed = compressor[encoding]()
  // A source that fails ends the response as without compression; the error is the source's own.
  pipeline(payload, compressed, () => undefined)
  return compressed
}

function isWorthIt({ method, url }: FastifyRequest, reply: FastifyReply, payload: unknown): boolean {
  if (method === 'HEAD' || reply.statusCode === 206 || reply.statusCode === 304) return false
  if (reply.hasHeader('content-encoding') || reply.hasHeader('accept-ranges')) return false
  if (!compressible.test(String(reply.getHeader('content-type'))) || secretPaths.test(url)) return false
  if (/no-transform/.test(String(reply.getHeader('cache-control')))) return false
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length >= minLength
  return payload instanceof Readable
}

/** Other bytes need another tag, or a weak one, which does not promise equal bytes. */
function weaken(reply: FastifyReply): void {
  const etag = reply.getHeader('etag')
  if (typeof etag === 'string' && !etag.startsWith('W/')) reply.header('etag', `W/${etag}`)
}
