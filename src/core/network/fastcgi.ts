import { createConnection } from 'node:net'

/** Numbers of FastCGI 1.0 (sections 3.3 and 8). */
const [beginRequest, paramsType, stdin, stdout, stderr, endRequest] = [1, 4, 5, 6, 7, 3]
const responder = 1
const headerBytes = 8
const maxContent = 0xffff

/** Response of a FastCGI program. */
export interface FastCgiResponse {
  /** `Content-Type`; empty if the program sent none. */
  mediaType: string
  body: Buffer
  /** Output on standard error. */
  output: string
}

function record(type: number, content: Uint8Array): Buffer {
  const header = Buffer.alloc(headerBytes)
  header[0] = 1
  header[1] = type
  header.writeUInt16BE(1, 2)
  header.writeUInt16BE(content.length, 4)
  return Buffer.concat([header, content])
}

/** Encodes a length: one byte below 128, otherwise four (section 3.4). */
function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE((length | 0x80000000) >>> 0)
  return bytes
}

function parameters(values: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(values).flatMap(([name, value]) => {
      const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)]
      return [lengthBytes(nameBytes.length), lengthBytes(valueBytes.length), nameBytes, valueBytes]
    }),
  )
}

/**
 * Encodes a request without body; its connection is closed after the response. Throws `RangeError` if the
 * request is longer than 64 KiB.
 */
function requestBytes(values: Readonly<Record<string, string>>): Buffer {
  const content = parameters(values)
  if (content.length > maxContent) throw new RangeError('The parameters of a FastCGI request are too long')
  return Buffer.concat([
    record(beginRequest, Buffer.from([0, responder, 0, 0, 0, 0, 0, 0])),
    record(paramsType, content),
    record(paramsType, Buffer.alloc(0)),
    record(stdin, Buffer.alloc(0)),
  ])
}

interface Streams {
  out: Buffer
  output: string
  isWhole: boolean
}

function readRecords(bytes: Buffer): Streams {
  const out: Buffer[] = []
  const output: Buffer[] = []
  let isWhole = false
  let at = 0
  while (at + headerBytes <= bytes.length) {
    const length = bytes.readUInt16BE(at + 4)
    const content = bytes.subarray(at + headerBytes, at + headerBytes + length)
    if (bytes[at + 1] === stdout) out.push(content)
    else if (bytes[at + 1] === stderr) output.push(content)
    else if (bytes[at + 1] === endRequest) isWhole = true
    at += headerBytes + length + (bytes[at + 6] ?? 0)
  }
  return { out: Buffer.concat(out), output: Buffer.concat(output).toString('utf8'), isWhole }
}

function readAnswer(bytes: Buffer): FastCgiResponse {
  const { out, output, isWhole } = readRecords(bytes)
  if (!isWhole) throw new Error('The FastCGI program ended its answer before it was whole')
  const [, separator] = /(\r?\n\r?\n)/.exec(out.toString('latin1', 0, 8192)) ?? []
  if (separator === undefined) throw new Error('The FastCGI program answered without headers')
  const end = out.indexOf(separator)
  const mediaType = /^content-type:[ \t]*([^\r\n]*)/im.exec(out.toString('latin1', 0, end))?.[1] ?? ''
  return { mediaType, body: out.subarray(end + separator.length), output }
}

/** Options of `requestFastCgi`. */
interface FastCgiOptions {
  signal: AbortSignal
  maxBytes: number
  /** Called when the program has accepted the connection. */
  onConnect?(): void
}

/**
 * Sends a request to a FastCGI program (FastCGI 1.0, role responder) that listens on a local socket. Throws
 * the signal's reason, and an `Error` if the response is incomplete or longer than `maxBytes`.
 */
export function requestFastCgi(
  socketPath: string,
  values: Readonly<Record<string, string>>,
  { signal, maxBytes, onConnect }: FastCgiOptions,
): Promise<FastCgiResponse> {
  signal.throwIfAborted()
  const request = requestBytes(values)
  const { promise, resolve, reject } = Promise.withResolvers<FastCgiResponse>()
  const socket = createConnection(socketPath)
  const chunks: Buffer[] = []
  let size = 0
  const onAbort = (): void => {
    reject(signal.reason)
    socket.destroy()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  socket.on('connect', () => {
    onConnect?.()
    socket.write(request)
  })
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) socket.destroy(new Error(`A FastCGI answer is longer than ${maxBytes} bytes`))
  })
  socket.on('error', reject)
  socket.on('close', () => {
    signal.removeEventListener('abort', onAbort)
    try {
      resolve(readAnswer(Buffer.concat(chunks)))
    } catch (error) {
      reject(error)
    }
  })
  return promise
}
