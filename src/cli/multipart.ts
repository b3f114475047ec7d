import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'

export interface UploadFile {
  path: string
  /** Name that the server is told. */
  name: string
  sizeBytes: number
}

/** Files as a `multipart/form-data` body (RFC 7578) that is read from disk while it is sent. */
export function multipartBody(
  files: UploadFile[],
  onSent: (bytes: number) => void,
): { headers: Record<string, string | number>; stream: Readable } {
  const boundary = `terrane-${randomUUID()}`
  const heads = files.map((file) => partHead(boundary, file.name))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const length = files.reduce(
    (sum, file, at) => sum + (heads[at]?.length ?? 0) + file.sizeBytes + 2,
    end.length,
  )
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': length },
    stream: Readable.from(parts(files, heads, end, onSent), { objectMode: false }),
  }
}

async function* parts(
  files: UploadFile[],
  heads: Buffer[],
  end: Buffer,
  onSent: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let sent = 0
  for (const [at, file] of files.entries()) {
    yield heads[at] as Buffer
    // The announced length must hold, also when the file grows meanwhile.
    const last = Math.max(0, file.sizeBytes - 1)
    if (file.sizeBytes > 0) {
      for await (const chunk of createReadStream(file.path, { end: last, highWaterMark: 1 << 18 })) {
        sent += chunk.length
        onSent(sent)
        yield chunk
      }
    }
    yield Buffer.from('\r\n')
  }
  yield end
}

/** RFC 7578 section 4.2: quotes and line ends in a file name are percent-encoded. */
function partHead(boundary: string, name: string): Buffer {
  const safe = name.replace(/["\r\n]/g, (character) => encodeURIComponent(character))
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="filedata"; filename="${safe}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  )
}
