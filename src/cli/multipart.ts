import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'

export interface UploadFile {
  path: string
  /** File name sent to the server. */
  name: string
  sizeBytes: number
}

/** Creates a `multipart/form-data` body (RFC 7578) that reads its files from disk while it is sent. */
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

/** Creates a request body that reads one file from disk while it is sent. */
export function fileBody(
  file: UploadFile,
  onSent: (bytes: number) => void,
): { headers: Record<string, string | number>; stream: Readable } {
  const stream = Readable.from(fileBytes(file, onSent, 0), { objectMode: false })
  return { headers: { 'content-type': 'application/octet-stream', 'content-length': file.sizeBytes }, stream }
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
    yield* fileBytes(file, onSent, sent)
    sent += file.sizeBytes
    yield Buffer.from('\r\n')
  }
  yield end
}

/** `sent` is the number of bytes sent before. */
async function* fileBytes(
  { path, sizeBytes }: UploadFile,
  onSent: (bytes: number) => void,
  sent: number,
): AsyncGenerator<Buffer> {
  if (sizeBytes === 0) return
  let bytes = sent
  // The announced length must be exact, even if the file grows in the meantime.
  for await (const chunk of createReadStream(path, { end: sizeBytes - 1, highWaterMark: 1 << 18 })) {
    bytes += chunk.length
    onSent(bytes)
    yield chunk
  }
}

/** RFC 7578 section 4.2: quotes and line ends in a file name are percent-encoded. */
function partHead(boundary: string, name: string): Buffer {
  const safe = name.replace(/["\r\n]/g, (character) => encodeURIComponent(character))
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="filedata"; filename="${safe}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  )
}
